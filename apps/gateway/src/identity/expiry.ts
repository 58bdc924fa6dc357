import { Refusal } from '@countersign/calls';

/** The time at which something expires, epoch ms; null: never. A time in the past is refused. */
export function expiryOf(expires_at: string | undefined, now_ms: number): number | null | Refusal {
  if (expires_at === undefined) return null;
  const expires_at_ms = Date.parse(expires_at);
  if (expires_at_ms > now_ms) return expires_at_ms;
  const issues = [{ path: '/expires_at', code: 'past', message: 'is in the past' }];
  return new Refusal('invalid-request', 'expires_at is in the past', { issues });
}
