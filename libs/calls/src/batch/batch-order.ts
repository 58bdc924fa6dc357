import { type Issue, Refusal } from '../refusal.js';
import { type BatchRequest } from '../request/call-request.js';

type BatchCall = BatchRequest['calls'][number];

/** The calls of the batch can never all be sent: one names a missing call, or some depend on each other. */
export function dependencyFault(calls: readonly BatchCall[]): Refusal | undefined {
  const unknown = calls.flatMap((call, index) =>
    (call.depends_on ?? []).flatMap((need, at): Issue[] =>
      need < calls.length
        ? []
        : [{ path: `/calls/${index}/depends_on/${at}`, code: 'unknown_call', message: 'names no call of the batch' }],
    ),
  );
  if (unknown.length > 0) return new Refusal('impossible-order', 'a call depends on one that is not in the batch', { issues: unknown });
  const waiting = inRings(calls);
  if (waiting.length === 0) return undefined;
  const issues = waiting.map((index) => ({ path: `/calls/${index}/depends_on`, code: 'cycle', message: 'depends on itself' }));
  return new Refusal('impossible-order', `calls ${waiting.join(', ')} depend on each other`, { issues });
}

/** Calls that can never start, found by removing those that can. Includes calls that only wait for a cycle. */
function inRings(calls: readonly BatchCall[]): number[] {
  let left = new Set(calls.keys());
  for (;;) {
    const stuck = new Set([...left].filter((index) => (calls[index]?.depends_on ?? []).some((need) => left.has(need))));
    if (stuck.size === left.size) return [...left];
    left = stuck;
  }
}
