import { useEffect, useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { ProblemNote, Skeleton } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useQuery } from '../gateway/use-query.js';
import { type Attempt, attemptText } from './attempt-text.js';

const EVERY_MS = 15_000;
/** While the attempt of a test is not in the list yet. */
const SOON_MS = 1_000;

/** How one attempt ended. */
export function Outcome({ attempt, label }: { attempt: Attempt; label: string }) {
  const { word, tone, text } = attemptText(attempt);
  return (
    <div class="row">
      <strong>
        <InertText text={label} />
      </strong>
      <StatusBadge status={attempt.error ?? 'delivered'} word={word} tone={tone} />
      <span class="soft">{text}</span>
    </div>
  );
}

/** The newest attempts to send to a channel. `awaited`: the message of a test, which is recorded a moment after its outcome is known. */
export function ChannelAttempts({ webhook_id, awaited }: { webhook_id: string; awaited: string | undefined }) {
  const [every_ms, setEvery] = useState(EVERY_MS);
  const { data, problem, is_loading } = useQuery({
    kind: 'other',
    id: webhook_id,
    key: ['attempts'],
    every_ms,
    read: (api, signal) =>
      api.GET('/v1/webhooks/{webhook_id}/attempts', { params: { path: { webhook_id }, query: { limit: 20 } }, signal }),
  });
  const is_missing = awaited !== undefined && data !== undefined && !data.items.some(({ message_id }) => message_id === awaited);
  useEffect(() => setEvery(is_missing ? SOON_MS : EVERY_MS), [is_missing]);
  return (
    <section class="stack-tight">
      <h3>Attempts to send</h3>
      {is_loading && <Skeleton lines={2} />}
      {!data && problem && <ProblemNote problem={problem} />}
      {data?.items.length === 0 && <p class="soft">Nothing was sent yet.</p>}
      <ul class="settings-attempts">
        {data?.items.map((attempt) => (
          <li key={`${attempt.message_id} ${attempt.attempt} ${attempt.at}`}>
            <Outcome attempt={attempt} label={attempt.type} />
            <span class="soft">
              <RelativeTime at={attempt.at} />
              {attempt.next_attempt_at && (
                <>
                  , again <RelativeTime at={attempt.next_attempt_at} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
