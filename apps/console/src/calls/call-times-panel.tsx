import { useMemo } from 'preact/hooks';
import { Panel } from '../elements/screen.js';
import { useClock } from '../elements/time-ago.js';
import { useQuery } from '../gateway/use-query.js';
import { callSpans, type HistoryLine } from '../timeline/call-times.js';
import { HISTORY_MEMBERS } from '../timeline/history-members.js';
import { CallLines } from '../timeline/timeline.js';
import { Waterfall } from '../timeline/waterfall.js';
import type { Call } from './call.js';

const LINES_MAX = 200;
const NO_LINES: readonly HistoryLine[] = [];

/** How the call spent its time. Lines of its history exist only in a case. */
export function CallTimes({ call }: { call: Call }) {
  const { case_id, call_id } = call;
  const read = useQuery({
    kind: 'call',
    id: call_id,
    key: ['lines'],
    enabled: case_id !== null,
    read: (api, signal) =>
      api.GET('/v1/cases/{case_id}/history', {
        params: { path: { case_id: case_id ?? '' }, query: { call_id, fields: HISTORY_MEMBERS, limit: LINES_MAX } },
        signal,
      }),
  });
  const is_open = call.ended_at === null;
  const now_ms = useClock(is_open ? seconds : still);
  const lines = read.data?.items ?? NO_LINES;
  const rows = useMemo(
    () => [{ key: call_id, name: call.name ?? call_id, status: call.status, spans: callSpans(call, lines, now_ms) }],
    [call, call_id, lines, now_ms],
  );
  return (
    <Panel title="Time">
      <Waterfall label="How the call spent its time" rows={rows} />
      {lines.length > 0 && <CallLines lines={lines} />}
    </Panel>
  );
}

const seconds = (now_ms: number): number => Math.floor(now_ms / 1_000) * 1_000;
const still = (): number => 0;
