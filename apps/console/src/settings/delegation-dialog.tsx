import type { components } from '@countersign/client';
import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useToast } from '../elements/toast.js';
import { FormDialog } from '../forms/form-dialog.js';
import { useChange } from '../forms/use-change.js';
import { useSession } from '../gateway/context.js';
import { endRefusal } from './permission.js';

type Delegation = components['schemas']['VoteDelegationInForce'];

/** A vote delegation, and its end. */
export function DelegationDialog({ item, onClose }: { item: Delegation; onClose: () => void }) {
  const toast = useToast();
  const session = useSession();
  const { delegation_id, etag } = item;
  const ended = useChange((api, _input: undefined) =>
    api.DELETE('/v1/vote-delegations/{delegation_id}', { params: { path: { delegation_id }, header: { 'If-Match': etag } } }),
  );
  const submit = async () => {
    if (!(await ended.run(undefined)).ok) return;
    toast({ tone: 'good', text: 'The delegation has ended' });
    onClose();
  };
  return (
    <FormDialog
      title="Vote delegation"
      action="End it now"
      look="danger"
      is_pending={ended.is_pending}
      problem={ended.problem}
      refused={endRefusal(session, item.from.id)}
      onSubmit={submit}
      onClose={onClose}
    >
      <Facts
        facts={[
          ['Votes of', <InertText key="f" text={item.from.id} />],
          ['Are cast by', <InertText key="t" text={item.to} />],
          ['Tools', <InertText key="o" text={item.tools.join(', ') || 'all'} />],
          ['Reason', <InertText key="r" text={item.reason} look="block" />],
          ['Starts', <RelativeTime key="s" at={item.starts_at} />],
          ['Ends', <RelativeTime key="e" at={item.expires_at} />],
        ]}
      />
    </FormDialog>
  );
}
