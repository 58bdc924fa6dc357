import type { Outcome } from '../command.js';
import type { AcceptedOpenings } from './accepted-openings.js';

/** `countersign witness accept`: lists the openings at which the witness stopped, or accepts them; stores the reason in its folder. */
export async function acceptOpening(
  openings: AcceptedOpenings,
  decision: string | undefined,
  reason: string | undefined,
  now_ms: number,
): Promise<Outcome> {
  const waiting = await openings.waiting();
  if (waiting.length === 0) return { code: 1, lines: ['this witness is not waiting for a decision: start it first'] };
  if (decision === undefined)
    return { code: 0, lines: [...waiting.flatMap(({ said }) => said), 'to accept one, give its decision id and --reason'] };
  if (!reason?.trim()) return { code: 2, lines: ['--reason is missing: it is kept in the state of the witness'] };
  const accepted = await openings.accept(decision, reason.trim(), now_ms);
  if (accepted.length === 0) return { code: 1, lines: [`this witness is not waiting for decision ${decision.slice(0, 80)}`] };
  return { code: 0, lines: [...accepted, 'accepted: start the witness again'] };
}
