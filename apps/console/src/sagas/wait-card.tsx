import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useSession } from '../gateway/context.js';
import { Link } from '../navigation/link.js';
import { mayAnswer } from './rights.js';
import type { Wait } from './saga.js';
import { waitState } from './step-states.js';
import { ANSWER_WORDS, takesAnswer, waitText } from './wait-answer.js';
import { WaitDialog } from './wait-dialog.js';

/** An open wait: what it asks, how long, and the ways to answer it. */
export function WaitCard({ saga_id, wait }: { saga_id: string; wait: Wait }) {
  const session = useSession();
  const [outcome, setOutcome] = useState<'answered' | 'refused'>();
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
      {wait.wait === 'call_approval' && <Link href="/approvals">Open the approvals</Link>}
      {takesAnswer(wait) &&
        (mayAnswer(session, wait) ? (
          <div class="row">
            <Button look="primary" onClick={() => setOutcome('answered')}>
              {ANSWER_WORDS[wait.wait].yes}
            </Button>
            <Button onClick={() => setOutcome('refused')}>{ANSWER_WORDS[wait.wait].no}</Button>
          </div>
        ) : (
          <p class="soft">{wait.wait === 'event' ? 'An agent or an operator reports it.' : 'An approver or an operator answers it.'}</p>
        ))}
      {outcome && takesAnswer(wait) && <WaitDialog saga_id={saga_id} wait={wait} outcome={outcome} onClose={() => setOutcome(undefined)} />}
    </article>
  );
}
