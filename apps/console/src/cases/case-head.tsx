import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import type { Schemas } from '../gateway/schemas.js';
import type { InfiniteResult } from '../gateway/use-infinite.js';
import { Link } from '../navigation/link.js';
import { totalsOf } from './case-totals.js';
import type { CaseCall } from './use-case-calls.js';

const STATUSES_SHOWN = 6;

/** How a case stands, in one line of facts. */
export function CaseHead({ of, calls }: { of: Schemas['Case']; calls: InfiniteResult<CaseCall> }) {
  const totals = useMemo(() => totalsOf(calls.items ?? []), [calls.items]);
  const count = `${totals.calls}${calls.has_more ? '+' : ''}`;
  return (
    <div class="stack-tight case-head">
      <dl class="case-facts">
        <Fact label="Status">
          <StatusBadge status={of.status} />
        </Fact>
        <Fact label="Opened">
          <RelativeTime at={of.opened_at} />
        </Fact>
        {totals.callers.length > 0 && (
          <Fact label={totals.callers.length === 1 ? 'Caller' : 'Callers'}>
            <InertText text={totals.callers.join(', ')} characters_max={120} />
          </Fact>
        )}
        {totals.purpose && (
          <Fact label="Purpose">
            <InertText text={totals.purpose} characters_max={120} />
          </Fact>
        )}
        {calls.items && (
          <Fact label="Calls">
            <Link href={`/calls?case_id=${encodeURIComponent(of.case_id)}`}>{count}</Link>
          </Fact>
        )}
        {totals.cost !== null && <Fact label="Cost">{`${Number(totals.cost.toFixed(4))}${calls.has_more ? '+' : ''}`}</Fact>}
        {Object.entries(of.metadata).map(([name, value]) => (
          <Fact key={name} label={name.slice(0, 40)}>
            <InertText text={value} characters_max={80} />
          </Fact>
        ))}
      </dl>
      <ul class="row case-statuses" aria-label="Calls by status">
        {totals.statuses.slice(0, STATUSES_SHOWN).map(([status, number]) => (
          <li key={status}>
            <Link href={`/calls?case_id=${encodeURIComponent(of.case_id)}&status=${status}`} class="case-count">
              <StatusBadge status={status} /> <strong>{number}</strong>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
