import { useMemo } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { JsonTree } from '../elements/json-tree.js';
import { ProblemNote } from '../elements/states.js';
import { useToast } from '../elements/toast.js';
import { useSession } from '../gateway/context.js';
import { useMutation } from '../gateway/use-mutation.js';
import { useNavigate } from '../navigation/navigation.js';
import type { Call } from './call.js';

/** Runs the same inputs once more, as a wanted repeat in the name of the person who asks. */
export function RepeatDialog({ call, onClose }: { call: Call; onClose: () => void }) {
  const { principal } = useSession();
  const go = useNavigate();
  const toast = useToast();
  // one request of one dialog: sending it again after a lost answer is the same call
  const request_id = useMemo(() => crypto.randomUUID(), []);
  const repeating = useMutation(
    (api) =>
      api.POST('/v1/calls', {
        params: { header: { Prefer: 'wait=3' } },
        body: {
          tool: call.name ?? '',
          ...(call.version === null ? {} : { version: call.version }),
          inputs: (call.inputs ?? {}) as Record<string, unknown>,
          ...(call.case_id === null ? {} : { case_id: call.case_id }),
          occurrence: request_id,
          context: { request_id },
        },
      }),
    () => [{ kind: 'call' }, { kind: 'case' }, { kind: 'approval' }],
  );
  const send = async () => {
    const answer = await repeating.run(undefined);
    if (!answer.ok) return;
    toast({ tone: 'good', text: 'The call was made again.' });
    onClose();
    go(`/calls/${encodeURIComponent(answer.data.call_id)}`);
  };
  return (
    <Dialog
      title="Run again"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Do not run</Button>
          <Button look="primary" is_busy={repeating.is_pending} disabled={call.withheld !== undefined} onClick={send}>
            Run again
          </Button>
        </>
      }
    >
      <p>
        This makes a new call with the same inputs, in your name ({principal.id}). Policy decides it anew, and it has an effect of its own:{' '}
        <strong>what the first call did is not replaced.</strong>
      </p>
      {call.withheld ? (
        <p class="notice notice-warn">You may not see the inputs, so you cannot send them again.</p>
      ) : (
        <JsonTree value={call.inputs} open_levels={2} />
      )}
      {repeating.problem && <ProblemNote problem={repeating.problem} />}
    </Dialog>
  );
}
