import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { ErrorState, Skeleton } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useQuery } from '../gateway/use-query.js';
import { TrustTerms } from '../trust/trust-terms.js';
import { CircuitPanel } from './circuit-panel.js';
import { Trust } from './tool-marks.js';
import type { ToolVersion } from './tool-version.js';
import { TrustEvents } from './trust-events.js';
import { TrustHistory } from './trust-history.js';

/** How reliable the tool has been: score, terms, history, ratings and circuit. */
export function TrustPart({ version }: { version: ToolVersion }) {
  const { name, version: number } = version;
  const trust = useQuery({
    kind: 'tool',
    key: ['trust', name, number],
    also: ['call'],
    read: (api, signal) => api.GET('/v1/tools/{name}/trust', { params: { path: { name }, query: { version: number } }, signal }),
  });
  const { data } = trust;
  if (trust.is_loading) return <Skeleton lines={6} />;
  if (!data) return trust.problem ? <ErrorState problem={trust.problem} retry={trust.refresh} /> : null;
  const { terms, runs } = data;
  return (
    <div class="stack">
      <Panel title="Score">
        <Facts
          facts={[
            ['Now', <Trust key="now" score={data.score} />],
            ['Why none', data.score === null && (data.unscored === 'never_verified' ? 'It has never been verified.' : 'It has never run.')],
            ['Runs', runs && `${runs.succeeded} of ${runs.counted} succeeded, ${runs.verified} verified, ${runs.callers} callers`],
            ['Last verified', data.last_verified_at && <RelativeTime at={data.last_verified_at} />],
            ['Provider', data.provider && <InertText text={data.provider} characters_max={120} />],
          ]}
        />
        {terms && <TrustTerms terms={terms} />}
        {data.decay !== null && data.decay < 1 && (
          <p class="soft">Without a recent verification the score is lowered to {Math.round(data.decay * 100)} %.</p>
        )}
      </Panel>
      <TrustHistory tool={name} version={number} since={version.registered_at} />
      <TrustEvents tool={name} version={number} />
      <Ratings tool={name} />
      <CircuitPanel version={version} />
    </div>
  );
}

function Ratings({ tool }: { tool: string }) {
  const { data } = useQuery({
    kind: 'tool',
    key: ['ratings', tool],
    read: (api, signal) => api.GET('/v1/tools/{name}/ratings', { params: { path: { name: tool }, query: { limit: 20 } }, signal }),
  });
  return (
    <Panel title="Ratings">
      {data && data.items.length === 0 && <p class="soft">Nobody has rated it yet.</p>}
      <ul class="stack-tight">
        {(data?.items ?? []).map((one, at) => (
          <li key={at} class="row">
            <StatusBadge status="rating" tone={one.rating >= 4 ? 'good' : one.rating >= 3 ? 'warn' : 'bad'} word={`${one.rating} of 5`} />
            <span class="faint">
              <InertText text={one.by.id} characters_max={80} /> on v{one.version.slice(0, 40)}
            </span>
            {one.comment && <InertText text={one.comment} look="block" characters_max={300} />}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
