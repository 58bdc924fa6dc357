import { useCallback } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Icon } from '../elements/icon.js';
import { InertText } from '../elements/inert.js';
import { useClock } from '../elements/time-ago.js';
import { Link } from '../navigation/link.js';
import { approvalPath } from './approval.js';
import type { HeldState } from './held-vote.js';
import { usePerson } from './use-person.js';
import { useVotes } from './use-votes.js';
import { voteWords } from './vote-words.js';

const DOING = { approve: 'Approving', deny: 'Denying', edit: 'Sending the edit', delegate: 'Passing on', revoke: 'Withdrawing' } as const;

/** Where a vote stands: held with Undo, on its way, not sent, or answered. */
export function VoteNote({ approval_id }: { approval_id: string }) {
  const votes = useVotes();
  const { person } = usePerson();
  const state = votes.state(approval_id);
  if (state.kind === 'none') return null;
  if (state.kind === 'held') return <Held state={state} />;
  const { vote } = state.vote.body;
  if (state.kind === 'sending')
    return (
      <p class="vote-note tone-busy" role="status">
        {DOING[vote]}…
      </p>
    );
  const words = state.answer
    ? voteWords({ approval_id, vote, me: person.id }, state.answer)
    : { tone: 'warn' as const, title: 'Not sent', text: 'The page was closed before your vote was answered.' };
  return (
    <div class={`vote-note vote-note-answer tone-${words.tone}`} role="status">
      <Icon name={words.tone === 'good' ? 'check' : words.tone === 'neutral' ? 'check' : 'warning'} />
      <span>
        <strong>
          <InertText text={words.title} characters_max={120} />.
        </strong>{' '}
        <InertText text={words.text} characters_max={400} />
        {'next_id' in words && words.next_id && (
          <>
            {' '}
            <Link href={approvalPath(words.next_id)}>Open it</Link>
          </>
        )}
      </span>
      <span class="row vote-note-actions">
        {state.kind === 'unsent' && <Button onClick={() => void votes.send(approval_id)}>Send again</Button>}
        <Button
          look="quiet"
          icon={state.kind === 'unsent' ? undefined : 'close'}
          aria-label={state.kind === 'unsent' ? undefined : 'Close the message'}
          onClick={() => votes.drop(approval_id)}
        >
          {state.kind === 'unsent' ? 'Drop my vote' : undefined}
        </Button>
      </span>
    </div>
  );
}

function Held({ state }: { state: Extract<HeldState, { kind: 'held' }> }) {
  const votes = useVotes();
  const { due_at_ms, vote } = state;
  const left_s = useClock(useCallback((now_ms: number) => Math.max(0, Math.ceil((due_at_ms - now_ms) / 1000)), [due_at_ms]));
  return (
    <div class="vote-note vote-held" style={{ '--held': `${due_at_ms - vote.held_at_ms}ms` }}>
      <span role="timer" aria-live="off">
        {DOING[vote.body.vote]} in <strong>{left_s} s</strong>
      </span>
      <span class="visually-hidden" role="status">
        {DOING[vote.body.vote]} soon. Undo takes it back.
      </span>
      <span class="row">
        <Button look="primary" icon="undo" onClick={() => votes.undo(vote.approval_id)}>
          Undo
        </Button>
        <Button look="quiet" onClick={() => void votes.send(vote.approval_id)}>
          Send now
        </Button>
      </span>
      <span class="vote-held-bar" aria-hidden="true" />
    </div>
  );
}
