import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useSession } from '../gateway/context.js';
import { Link } from '../navigation/link.js';
import { pathTo } from '../navigation/match.js';
import { mayAnswer } from './rights.js';
import type { Wait } from './saga.js';
import { waitState } from './step-states.js';
import { ANSWER_WORDS, takesAnswer, waitText } from './wait-answer.js';
import { WaitDialog } from './wait-dialog.js';

interface WaitCardProps {
  saga_id: string;
  wait: Wait;
  /** The last call of its step. */
  call_id: string | null;
  /** Called when its dialog opens and closes: the card stays meanwhile. */
  onHold: (is_held: boolean) => void;
}

/** An open wait: what it asks, how long, and the ways to answer it. */
export function WaitCard({ saga_id, wait, call_id, onHold }: WaitCardProps) {
  const session = useSession();
  const [outcome, setOutcome] = useState<'answered' | 'refused'>();
  const choose = (chosen: 'answered' | 'refused' | undefined) => {
    setOutcome(chosen);
    onHold(chosen !== undefined);
  };
  const state = waitState(wait);
  return (
    <article class="saga-card" aria-label={`Wait ${wait.step_id}`}>
      <div class="row row-spread">
        <StatusBadge status={wait.wait} word={state.word} tone={state.tone} />
        <span class="soft">
          ends <RelativeTime at={wait.until} />
        </span>
      </div>
      <div class="saga-question">
        <InertText text={waitText(wait)} look="block" />
      </div>
      <p class="soft">
        Step <InertText text={wait.step_id} mono />, since <RelativeTime at={wait.opened_at} />
      </p>
      {wait.wait === 'call_approval' && (
        <Link href={call_id === null ? '/approvals' : pathTo('/calls/:id', { id: call_id })}>Open the call that waits</Link>
      )}
      {takesAnswer(wait) &&
        (mayAnswer(session, wait) ? (
          <div class="row">
            <Button look="primary" onClick={() => choose('answered')}>
              {ANSWER_WORDS[wait.wait].yes}
            </Button>
            <Button onClick={() => choose('refused')}>{ANSWER_WORDS[wait.wait].no}</Button>
          </div>
        ) : (
          <p class="soft">{wait.wait === 'event' ? 'An agent or an operator reports it.' : 'An approver or an operator answers it.'}</p>
        ))}
      {outcome && <WaitDialog saga_id={saga_id} wait={wait} outcome={outcome} onClose={() => choose(undefined)} />}
    </article>
  );
}
