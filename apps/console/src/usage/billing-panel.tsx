import type { components } from '@countersign/client';
import { DownloadButton } from '../downloads/download-button.js';
import { CopyButton } from '../elements/copy-button.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useQuery } from '../gateway/use-query.js';
import { countText, dollarText } from './amounts.js';

type BillingPeriod = components['schemas']['BillingPeriod'];

const nameOf = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const monthName = (period: string): string => nameOf.format(Date.parse(`${period}-01`));

/** Closed months and the present one, with their lines as files. */
export function BillingPanel() {
  const { data, problem, refresh } = useQuery({
    ...{ kind: 'configuration', key: ['billing-periods'] },
    read: (api, signal) => api.GET('/v1/usage/billing/periods', { signal }),
  });
  const present = new Date().toISOString().slice(0, 7);
  return (
    <section class="usage-list" id="billing" aria-labelledby="billing-title">
      <header class="row row-spread">
        <div>
          <h2 id="billing-title">Billing periods</h2>
          <p class="soft">A month is closed ten minutes after its end. From then on its lines never change.</p>
        </div>
        <a href="/docs/how-to/usage">About billing</a>
      </header>
      {!data && (problem ? <ErrorState problem={problem} retry={refresh} /> : <Skeleton lines={2} />)}
      {data && (
        <ul class="usage-months">
          <PresentMonth period={present} />
          {[...data.items]
            .sort((a, b) => (a.period < b.period ? 1 : -1))
            .map((month) => (
              <ClosedMonth key={month.period} month={month} />
            ))}
        </ul>
      )}
      {data?.items.length === 0 && <EmptyState icon="usage" title="No month is closed yet" />}
    </section>
  );
}

function PresentMonth({ period }: { period: string }) {
  return (
    <li class="usage-month">
      <div class="usage-month-name">
        <strong>{monthName(period)}</strong>
        <StatusBadge status="open" word="Still changes" tone="busy" />
      </div>
      <p class="soft">Its numbers are provisional until it is closed.</p>
      <Downloads period={period} is_provisional />
    </li>
  );
}

function ClosedMonth({
  month: { period, lines, corrections, billable_calls, cost_usd, digest, told, closed_at },
}: {
  month: BillingPeriod;
}) {
  return (
    <li class="usage-month">
      <div class="usage-month-name">
        <strong>{monthName(period)}</strong>
        <StatusBadge status="closed" word="Closed" tone="good" />
        <RelativeTime at={closed_at} />
      </div>
      <div>
        <p>
          <strong>{countText(billable_calls)}</strong> billable {billable_calls === 1 ? 'call' : 'calls'},{' '}
          <strong>{dollarText(cost_usd)}</strong>, {countText(lines)} {lines === 1 ? 'line' : 'lines'}
          {corrections > 0 && `, of which ${countText(corrections)} correct earlier months`}
          {!told && '. A channel was not told yet'}
        </p>
        <p class="row faint usage-digest">
          <span title={digest}>
            SHA-256 <code>{digest.slice(0, 12)}…</code>
          </span>
          <CopyButton text={digest} label={`Copy the digest of ${monthName(period)}`} is_icon />
        </p>
      </div>
      <Downloads period={period} />
    </li>
  );
}

function Downloads({ period, is_provisional = false }: { period: string; is_provisional?: boolean }) {
  const query = `period=${encodeURIComponent(period)}${is_provisional ? '&provisional=true' : ''}`;
  const name = `billing-${period}${is_provisional ? '-provisional' : ''}`;
  return (
    <div class="row usage-downloads">
      <DownloadButton path={`/v1/usage/billing?${query}&format=csv`} file_name={`${name}.csv`} title={`${monthName(period)} as CSV`}>
        CSV
      </DownloadButton>
      <DownloadButton
        path={`/v1/usage/billing?${query}&format=ndjson`}
        file_name={`${name}.ndjson`}
        title={`${monthName(period)} as NDJSON`}
      >
        NDJSON
      </DownloadButton>
    </div>
  );
}
