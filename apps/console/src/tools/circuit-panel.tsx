import { Facts } from '../elements/facts.js';
import { Panel } from '../elements/screen.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useQuery } from '../gateway/use-query.js';
import type { ToolVersion } from './tool-version.js';

const REREAD_MS = 10_000;
const STATES = {
  closed: ['Closed: calls run', 'good'],
  open: ['Open: calls are refused', 'bad'],
  half_open: ['Half open: one call is tried', 'warn'],
} as const;

/** Whether calls of a version are stopped for a while because it failed. */
export function CircuitPanel({ version: { name, version, circuit } }: { version: ToolVersion }) {
  const { data } = useQuery({
    kind: 'tool',
    key: ['circuits'],
    also: ['call'],
    every_ms: REREAD_MS,
    read: (api, signal) => api.GET('/v1/circuits', { params: { query: { limit: 500 } }, signal }),
  });
  const found = data?.items.find((one) => one.tool === name && one.version === version);
  const [word, tone] = STATES[found?.state ?? circuit];
  return (
    <Panel title="Circuit">
      <Facts
        facts={[
          ['State', <StatusBadge key="state" status={circuit} word={word} tone={tone} />],
          ['Lately', found && `${found.outcomes.succeeded} succeeded, ${found.outcomes.failed} failed`],
          ['Opened', found?.opened_at && <RelativeTime at={found.opened_at} />],
          ['Tries again', found?.half_open_at && <RelativeTime at={found.half_open_at} />],
        ]}
      />
    </Panel>
  );
}
