import { useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import type { Schemas } from '../gateway/schemas.js';
import { useQuery } from '../gateway/use-query.js';
import { amount, byUse, gaugeOf } from './gauge.js';
import type { Limit } from './limit-words.js';
import { useSeen } from './use-seen.js';

type Counter = Schemas['LimitCounter'];

/** Subjects that are read of one limit; a tenant may have any number of them. */
const READ = 200;
const SHOWN = 4;
const EVERY_MS = 15_000;

/** How much of a limit is used by whom, the fullest first. Read once it is in view, and again every 15 s. */
export function LimitUsage({ limit: { limit_id, version } }: { limit: Limit }) {
  const [place, is_seen] = useSeen<HTMLDivElement>();
  const [is_whole, setWhole] = useState(false);
  const usage = useQuery({
    kind: 'other',
    id: `usage of ${limit_id}`,
    key: [version],
    enabled: is_seen,
    every_ms: EVERY_MS,
    read: (api, signal) => api.GET('/v1/limits/{limit_id}/usage', { params: { path: { limit_id }, query: { limit: READ } }, signal }),
  });
  const counters = usage.data ? byUse(usage.data.items) : [];
  const has_more = Boolean(usage.data?.next_cursor);
  return (
    <div ref={place} class="policies-usage">
      {!usage.data && !usage.problem && <p class="faint">Reading what is used</p>}
      {!usage.data && usage.problem && <p class="soft">What is used could not be read: {usage.problem.title}.</p>}
      {usage.data && counters.length === 0 && <p class="soft">Nothing is used yet.</p>}
      {counters.length > 0 && (
        <ul class="policies-gauges" aria-label={`Used of ${limit_id}`}>
          {counters.slice(0, is_whole ? READ : SHOWN).map((counter) => (
            <li key={`${counter.subject} ${counter.per}`}>
              <GaugeRow counter={counter} />
            </li>
          ))}
        </ul>
      )}
      {!is_whole && counters.length > SHOWN && (
        <button type="button" class="text-button" onClick={() => setWhole(true)}>
          Show {counters.length - SHOWN} more
        </button>
      )}
      {has_more && <p class="soft">These are the first {READ} that are counted; there are more.</p>}
    </div>
  );
}

function GaugeRow({ counter }: { counter: Counter }) {
  const gauge = gaugeOf(counter);
  const name = [counter.subject, counter.per].filter(Boolean).join(' · ') || 'all calls';
  return (
    <div class={`policies-gauge tone-${gauge?.tone ?? 'neutral'}`}>
      <span class="policies-gauge-name">
        <InertText text={name} characters_max={100} />
      </span>
      <span class="policies-gauge-text">{gauge ? `${gauge.text} · ${gauge.word}` : `${amount(counter.used)} used, no maximum`}</span>
      {gauge && (
        <div
          class="policies-gauge-track"
          role="meter"
          aria-label={name.slice(0, 100)}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(gauge.share * 100)}
          aria-valuetext={`${gauge.text}, ${gauge.word}`}
        >
          <div class="policies-gauge-bar" style={{ width: `${gauge.share * 100}%` }} />
        </div>
      )}
    </div>
  );
}
