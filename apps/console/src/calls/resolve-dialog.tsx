import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { TextArea } from '../elements/field.js';
import { ProblemNote } from '../elements/states.js';
import { useToast } from '../elements/toast.js';
import { useMutation } from '../gateway/use-mutation.js';
import { useDraft } from '../navigation/draft.js';
import type { Call } from './call.js';
import { LookFor } from './look-for.js';
import { type Resolution, Resolutions } from './resolutions.js';
import { outputOf } from './resolved-output.js';

/** Resolves a call in doubt: what to look for in the system of record, and what was found there. */
export function ResolveDialog({ call, onClose }: { call: Call; onClose: () => void }) {
  const { call_id } = call;
  const [resolution, setResolution] = useState<Resolution>();
  const [output, setOutput, clearOutput] = useDraft(`resolve-output:${call_id}`);
  const [reason, setReason, clearReason] = useDraft(`resolve:${call_id}`);
  const toast = useToast();
  const given = outputOf(output);
  const resolving = useMutation(
    (api, found: Resolution) =>
      api.POST('/v1/calls/{call_id}/resolve', {
        params: { path: { call_id } },
        body: { resolution: found, reason: reason.trim(), ...(found === 'happened' && 'value' in given ? { output: given.value } : {}) },
      }),
    () => [{ kind: 'call', id: call_id }, { kind: 'case' }],
  );
  const is_ready = resolution !== undefined && reason.trim() !== '' && (resolution === 'did_not_happen' || !('error' in given));
  const send = async () => {
    if (resolution === undefined) return;
    const answer = await resolving.run(resolution);
    if (!answer.ok) return;
    clearOutput();
    clearReason();
    toast({
      tone: 'good',
      text: answer.data.status === 'in_doubt' ? 'The resolution is recorded and is being applied.' : 'The doubt is resolved.',
    });
    onClose();
  };
  return (
    <Dialog
      title="Resolve the call"
      size="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button look="primary" is_busy={resolving.is_pending} disabled={!is_ready} onClick={send}>
            Resolve
          </Button>
        </>
      }
    >
      <LookFor call={call} />
      <Resolutions chosen={resolution} choose={setResolution} />
      {resolution === 'happened' && (
        <TextArea
          label="Output"
          hint="What the tool would have answered, as JSON. Optional; without it the output stays empty."
          error={'error' in given ? given.error : undefined}
          value={output}
          onValue={setOutput}
          mono
          rows={4}
        />
      )}
      <TextArea
        label="Reason"
        hint="Where you looked and what you found. Kept on the record with your name."
        value={reason}
        onValue={setReason}
        rows={2}
        characters_max={2000}
        required
      />
      {resolving.problem && <ProblemNote problem={resolving.problem} />}
    </Dialog>
  );
}
