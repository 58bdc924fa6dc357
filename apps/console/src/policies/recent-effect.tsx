import { useQuery } from '../gateway/use-query.js';
import { NO_RULES } from './rule-diff.js';
import { differenceWord, periodStart } from './simulation-groups.js';

const DAYS = 7;
/** Enough to see what a version does, and quick: the whole simulation is on the page of the version. */
const CALLS_MAX = 500;

/** In one sentence: how many of the latest calls a version would have decided differently. */
export function RecentEffect({ version }: { version: string | null }) {
  const simulation = useQuery({
    kind: 'other',
    id: `effect of policy ${version}`,
    read: (api, signal) => {
      const rules = version === null ? { bundle: NO_RULES } : { version };
      const body = { ...rules, limit: CALLS_MAX, from: periodStart(String(DAYS), Date.now()) };
      return api.POST('/v1/policies:simulate', { body: body as never, signal });
    },
  });
  if (simulation.is_loading) return <p class="soft">Looking at the calls of the last {DAYS} days…</p>;
  if (!simulation.data) return <p class="soft">What it would have done with recent calls could not be computed.</p>;
  const { calls, unchanged, counts } = simulation.data;
  const changes = Object.entries(counts).flatMap(([kind, count]) => (count > 0 ? [`${count} ${differenceWord(kind)}`] : []));
  if (calls === 0) return <p class="soft">There are no calls of the last {DAYS} days to compare with.</p>;
  return (
    <p>
      Of {calls >= CALLS_MAX && 'the latest '}
      {calls} calls of the last {DAYS} days, <strong>{calls - unchanged}</strong> would have been decided differently
      {changes.length > 0 && `: ${changes.join(', ')}`}.
    </p>
  );
}
