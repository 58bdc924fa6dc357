import { NOW_MS } from '../leases/lease-guard.js';
import type { Sql } from '../store.js';

/** A notice and the channel to which it is sent. */
export interface NoticePlace {
  notice_id: string;
  webhook_id: string;
}

/** `mine`: no other process sends it until the claim expires. `settled`: it was sent or given up. `others`: another process has claimed it. */
export type NoticeClaim = 'mine' | 'settled' | 'others';

const FORGOTTEN_MS = 3 * 86_400_000;

const CLAIM = `INSERT INTO notice_claims (notice_id, webhook_id, owner, until_ms) VALUES ($1, $2, $3, ${NOW_MS} + $4)
ON CONFLICT (notice_id, webhook_id) DO UPDATE SET owner = EXCLUDED.owner, until_ms = EXCLUDED.until_ms
WHERE NOT notice_claims.settled AND (notice_claims.owner = EXCLUDED.owner OR notice_claims.until_ms <= ${NOW_MS})
RETURNING owner`;
const READ = 'SELECT settled FROM notice_claims WHERE notice_id = $1 AND webhook_id = $2';
const SETTLE = `UPDATE notice_claims SET settled = true, until_ms = ${NOW_MS} WHERE notice_id = $1 AND webhook_id = $2 AND owner = $3`;
const RELEASE = `UPDATE notice_claims SET until_ms = ${NOW_MS} WHERE owner = $1 AND NOT settled`;
const FORGET = `DELETE FROM notice_claims WHERE until_ms < ${NOW_MS} - $1`;

/** Claims a notice and channel for one gateway, for `for_ms` from now. The same owner can extend its claim. */
export async function claimNotice(
  sql: Sql,
  { notice_id, webhook_id }: NoticePlace,
  { owner, for_ms }: { owner: string; for_ms: number },
): Promise<NoticeClaim> {
  const won = await sql.query({ name: 'notice_claim', text: CLAIM, params: [notice_id, webhook_id, owner, for_ms] });
  if (won.length > 0) return 'mine';
  const [row] = await sql.query<{ settled: boolean }>({ name: 'notice_claim_read', text: READ, params: [notice_id, webhook_id] });
  return row?.settled ? 'settled' : 'others';
}

/** Ends the sending of the notice to this channel. */
export async function settleNotice(sql: Sql, { notice_id, webhook_id }: NoticePlace, owner: string): Promise<void> {
  await sql.query({ name: 'notice_settle', text: SETTLE, params: [notice_id, webhook_id, owner] });
}

/** Drops claims older than three days: notices of that age are no longer sent. */
export async function forgetNotices(sql: Sql): Promise<void> {
  await sql.query({ name: 'notice_forget', text: FORGET, params: [FORGOTTEN_MS] });
}

/** Releases the claimed but unsent notices of this owner. */
export async function releaseNotices(sql: Sql, owner: string): Promise<void> {
  await sql.query({ name: 'notice_release', text: RELEASE, params: [owner] });
}
