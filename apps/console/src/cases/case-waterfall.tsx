import { useMemo } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { useClock } from '../elements/time-ago.js';
import type { InfiniteResult } from '../gateway/use-infinite.js';
import { callSpans, type HistoryLine } from '../timeline/call-times.js';
import { Waterfall } from '../timeline/waterfall.js';
import type { CaseCall } from './use-case-calls.js';
import { useCaseHistory } from './use-case-history.js';

const NO_LINES: readonly HistoryLine[] = [];

/** The calls of a case on one time axis, oldest first. */
export function CaseWaterfall({ case_id, calls }: { case_id: string; calls: InfiniteResult<CaseCall> }) {
  const history = useCaseHistory(case_id);
  const is_open = (calls.items ?? []).some(({ ended_at }) => !ended_at);
  const now_ms = useClock(is_open ? seconds : still);
  const lines = useMemo(() => linesByCall(history.items ?? []), [history.items]);
  const rows = useMemo(
    () =>
      [...(calls.items ?? [])].reverse().map((call) => ({
        key: call.call_id ?? '',
        name: call.summary ?? call.tool ?? '',
        href: `/calls/${encodeURIComponent(call.call_id ?? '')}`,
        status: call.status ?? '',
        spans: callSpans(call, lines.get(call.call_id ?? '') ?? NO_LINES, now_ms),
      })),
    [calls.items, lines, now_ms],
  );
  if (calls.is_loading) return <Skeleton lines={8} label="Reading the calls of the case" />;
  if (!calls.items && calls.problem) return <ErrorState problem={calls.problem} retry={calls.refresh} />;
  if (rows.length === 0) return <EmptyState icon="clock" title="No calls yet" />;
  return (
    <div class="stack">
      {calls.has_more && (
        <div class="row">
          <span class="soft">The newest {rows.length} calls.</span>
          <Button is_busy={calls.is_loading_more} onClick={calls.more}>
            {calls.is_loading_more ? 'Loading' : 'Load earlier calls'}
          </Button>
        </div>
      )}
      <Waterfall label="Calls of the case over time" rows={rows} height_px={560} />
    </div>
  );
}

function linesByCall(lines: readonly HistoryLine[]): ReadonlyMap<string, HistoryLine[]> {
  const by_call = new Map<string, HistoryLine[]>();
  for (const line of lines) {
    if (!line.call_id) continue;
    const known = by_call.get(line.call_id);
    if (known) known.push(line);
    else by_call.set(line.call_id, [line]);
  }
  return by_call;
}

const seconds = (now_ms: number): number => Math.floor(now_ms / 1_000) * 1_000;
const still = (): number => 0;
