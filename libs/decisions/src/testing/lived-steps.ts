import { NO_CONTEXT } from '@countersign/contracts';
import { DAY_MS, HOUR_MS } from '@countersign/domain';
import { LivedWorld } from './lived-world.js';

/** One step: a call, an action of people, a rule change, or elapsed time. */
export type Step =
  | ['read' | 'stage' | 'pay', number, boolean]
  | ['approve' | 'deny' | 'cancel' | 'wait' | 'limit' | 'policy', number]
  | ['after', number];
/** For specs: plays steps in a world; numbers choose among the options at that time. */
export function live(steps: readonly Step[]): LivedWorld {
  const world = new LivedWorld(Date.parse('2026-11-01T00:00Z'));
  world.tools();
  const calls: string[] = [];
  for (const [kind, n, flag] of steps) {
    const open = world.open();
    if (kind === 'read' || kind === 'stage' || kind === 'pay') calls.push(world.request(kind, { total: n * 10, fails: flag === true }));
    else if (kind === 'after' && calls.length > 0)
      calls.push(
        world.request(
          'stage',
          { total: n, after: calls.length },
          { context: { ...NO_CONTEXT, depends_on: [calls[n % calls.length] as string] } },
        ),
      );
    else if ((kind === 'approve' || kind === 'deny') && open.length > 0) world.vote(open[n % open.length] as string, `anna-${n}`, kind);
    else if (kind === 'cancel' && calls.length > 0) world.cancel(calls[n % calls.length] as string);
    else if (kind === 'limit')
      world.limit(`limit-${n % 2}`, {
        kind: 'cumulative',
        scope: n % 3 === 0 ? 'case' : 'agent',
        amount: 'inputs.total',
        window_ms: HOUR_MS,
        max: n * 20,
        on_exceeded: n % 2 ? 'defer' : 'deny',
      });
    else if (kind === 'policy')
      world.policy(`v${calls.length}-${n}`, [
        {
          id: `r-${n}`,
          tools: {},
          effect: n % 3 === 0 ? 'require_approval' : n % 3 === 1 ? 'deny' : 'allow',
          when: `inputs.total > ${n * 8}`,
        },
      ]);
    else world.until(world.now_ms + [1, 10, 50, 1000, 90_000, 2 * HOUR_MS][n % 6]!);
  }
  if (steps.length % 3 > 0) world.until(world.now_ms + DAY_MS * 2);
  return world;
}
