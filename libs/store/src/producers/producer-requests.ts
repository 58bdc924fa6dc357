import type { Sql } from '../store.js';

/** Whose requests: names of one producer mean nothing to another. */
export interface ProducerScope {
  tenant_id: string;
  producer_id: string;
}

/** A request or a cancel of it. `name_digest`: SHA-256 of what the producer calls the request. Times are the log's append times. */
export interface NamedRequest {
  name_digest: string;
  at_ms: number;
}

/** What is known of a request when it is read. */
export interface NotedRequest extends Record<string, unknown> {
  name_digest: string;
  /** The call, if the request was read before. */
  call_id: string | null;
  /** A cancel that was read before the request. */
  cancelled_at_ms: number | null;
}

/** What is known of a request when its cancel is read. Pending: the request is being admitted at this moment. */
export type CancelledRequest = { kind: 'call'; call_id: string } | { kind: 'pending' } | { kind: 'kept' };

const NOTE = `INSERT INTO producer_requests AS known (tenant_id, producer_id, name_digest, requested_at_ms, noted_at_ms)
SELECT $1, $2, name_digest, at_ms, at_ms FROM unnest($3::text[], $4::int8[]) AS named(name_digest, at_ms) ORDER BY name_digest
ON CONFLICT (tenant_id, producer_id, name_digest) DO UPDATE SET requested_at_ms = EXCLUDED.requested_at_ms, noted_at_ms = EXCLUDED.noted_at_ms
RETURNING name_digest, call_id, cancelled_at_ms`;
const SETTLE = `UPDATE producer_requests AS known SET call_id = COALESCE(settled.call_id, known.call_id), requested_at_ms = NULL
FROM unnest($3::text[], $4::text[]) AS settled(name_digest, call_id)
WHERE known.tenant_id = $1 AND known.producer_id = $2 AND known.name_digest = settled.name_digest`;
const CANCEL = `INSERT INTO producer_requests AS known (tenant_id, producer_id, name_digest, cancelled_at_ms, noted_at_ms) VALUES ($1, $2, $3, $4, $4)
ON CONFLICT (tenant_id, producer_id, name_digest) DO UPDATE SET noted_at_ms = EXCLUDED.noted_at_ms,
  cancelled_at_ms = CASE WHEN known.requested_at_ms IS NULL AND known.call_id IS NULL THEN EXCLUDED.cancelled_at_ms ELSE known.cancelled_at_ms END
RETURNING call_id, requested_at_ms`;
const FORGET = `DELETE FROM producer_requests WHERE tenant_id = $1 AND producer_id = $2 AND (noted_at_ms < $3
  OR noted_at_ms < (SELECT noted_at_ms FROM producer_requests WHERE tenant_id = $1 AND producer_id = $2 ORDER BY noted_at_ms DESC OFFSET $4 LIMIT 1))`;

const digestsOf = (requests: readonly NamedRequest[]): Map<string, number> =>
  new Map(requests.map(({ name_digest, at_ms }) => [name_digest, at_ms]));

/**
 * Notes requests that are admitted next, and returns what is known of each. Of two such statements and cancels of one name, one sees the
 * other: the row is locked. End each with `settleProducerRequests`, or its cancel waits.
 */
export function noteProducerRequests(sql: Sql, scope: ProducerScope, requests: readonly NamedRequest[]): Promise<NotedRequest[]> {
  const named = digestsOf(requests);
  const params = [scope.tenant_id, scope.producer_id, [...named.keys()], [...named.values()]];
  return sql.query<NotedRequest>({ name: 'producer_requests_note', text: NOTE, params });
}

/** Ends the admission of requests: with their call, or with null where they were not admitted. */
export async function settleProducerRequests(sql: Sql, scope: ProducerScope, calls: ReadonlyMap<string, string | null>): Promise<void> {
  const params = [scope.tenant_id, scope.producer_id, [...calls.keys()], [...calls.values()]];
  await sql.query({ name: 'producer_requests_settle', text: SETTLE, params });
}

/** Notes a cancel: it is kept for its request, unless that was read already. */
export async function noteProducerCancel(sql: Sql, scope: ProducerScope, { name_digest, at_ms }: NamedRequest): Promise<CancelledRequest> {
  const params = [scope.tenant_id, scope.producer_id, name_digest, at_ms];
  const [row] = await sql.query<{ call_id: string | null; requested_at_ms: number | null }>({
    name: 'producer_requests_cancel',
    text: CANCEL,
    params,
  });
  if (row?.requested_at_ms != null) return { kind: 'pending' };
  return row?.call_id != null ? { kind: 'call', call_id: row.call_id } : { kind: 'kept' };
}

/** Forgets what was noted before this time, and all but about the newest `kept_max`: a producer cannot fill the table. */
export async function forgetProducerRequests(
  sql: Sql,
  scope: ProducerScope,
  bounds: { before_ms: number; kept_max: number },
): Promise<void> {
  const params = [scope.tenant_id, scope.producer_id, bounds.before_ms, bounds.kept_max];
  await sql.query({ name: 'producer_requests_forget', text: FORGET, params });
}
