import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { TextArea } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { ProblemNote } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { useMutation } from '../gateway/use-mutation.js';
import type { InboxItem, VoteOutcomeItem } from './approval.js';
import type { CastAnswer, VoteProblem } from './cast-vote.js';
import { type BatchVote, needsReason } from './selection.js';
import { usePerson } from './use-person.js';
import { voteWords } from './vote-words.js';

const REASON_MAX = 2_000;

interface BatchDialogProps {
  vote: BatchVote;
  items: readonly InboxItem[];
  onClose: () => void;
  onDone: () => void;
}

/** Shows what will be decided together, and then what came of each. */
export function BatchDialog({ vote, items, onClose, onDone }: BatchDialogProps) {
  const [reason, setReason] = useState('');
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, VoteOutcomeItem>>();
  const votes = useMutation(
    (api, body: { approval_ids: string[]; vote: BatchVote; reason?: string }) => api.POST('/v1/approvals/votes', { body }),
    ({ approval_ids }) => approval_ids.map((id) => ({ kind: 'approval' as const, id })),
  );
  const is_missing = vote === 'deny' && needsReason(items) && reason.trim() === '';
  const verb = vote === 'approve' ? 'Approve' : 'Deny';
  const what = `${items.length} ${items.length === 1 ? 'request' : 'requests'}`;
  const send = async () => {
    const approval_ids = items.map(({ approval_id }) => approval_id);
    const answer = await votes.run({ approval_ids, vote, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) });
    if (answer.ok) setOutcomes(new Map(answer.data.items.map((item) => [item.approval_id, item])));
  };
  const close = () => {
    onClose();
    if (outcomes) onDone();
  };
  return (
    <Dialog
      title={outcomes ? 'What came of it' : `${verb} ${what}`}
      onClose={close}
      size="wide"
      actions={
        outcomes ? (
          <Button look="primary" onClick={close}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button look={vote === 'approve' ? 'primary' : 'danger'} is_busy={votes.is_pending} disabled={is_missing} onClick={send}>
              {verb} {what}
            </Button>
          </>
        )
      }
    >
      {votes.problem && <ProblemNote problem={votes.problem} />}
      <ul class="batch-items">
        {items.map((item) => (
          <li key={item.approval_id} class="batch-item">
            <InertText text={item.sentence ?? item.call?.tool ?? item.approval_id} characters_max={200} />
            {outcomes && <Outcome vote={vote} outcome={outcomes.get(item.approval_id)} />}
          </li>
        ))}
      </ul>
      {!outcomes && vote === 'deny' && (
        <TextArea
          label={needsReason(items) ? 'Reason' : 'Reason (optional)'}
          hint="It stays in the record, and the requester can read it."
          value={reason}
          onValue={setReason}
          characters_max={REASON_MAX}
        />
      )}
      {!outcomes && <p class="soft">Each request is decided on its own. Calls that cannot be undone are never part of this.</p>}
    </Dialog>
  );
}

function Outcome({ vote, outcome }: { vote: BatchVote; outcome: VoteOutcomeItem | undefined }) {
  const { person } = usePerson();
  if (!outcome) return <StatusBadge status="unknown" word="No answer" tone="bad" />;
  const { approval_id, status, approval, problem } = outcome;
  const answer: CastAnswer = approval
    ? { ok: true, approval, is_judged: status !== 202 }
    : { ok: false, problem: problem as unknown as VoteProblem };
  const words = voteWords({ approval_id, vote, me: person.id }, answer);
  return (
    <span class="batch-outcome">
      <StatusBadge status={words.title} word={words.title} tone={words.tone} />
      <span class="soft">
        <InertText text={words.text} characters_max={300} />
      </span>
    </span>
  );
}
