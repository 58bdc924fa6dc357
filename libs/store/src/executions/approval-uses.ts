import type { Sql, Statement } from '../store.js';

/** `approval_uses.call_uuid` of an approval that closed without a grant. */
const NO_CALL = '00000000-0000-0000-0000-000000000000';

const USES = `INSERT INTO approval_uses (approval_id, call_uuid)
SELECT * FROM unnest($1::text[], $2::uuid[]) AS u(approval_id, call_uuid) ORDER BY 1 ON CONFLICT (approval_id) DO NOTHING`;

function statement(uses: readonly { approval_id: string; call_uuid: string }[]): Statement {
  const params = [uses.map(({ approval_id }) => approval_id), uses.map(({ call_uuid }) => call_uuid)];
  return { name: 'approval_uses', text: USES, params };
}

/**
 * Inserts tombstones for approvals that were denied, expired or cancelled. A claim consumes its approval in its own transaction, so only
 * one of a tombstone and a claim gets the row, and no grant fires after a denial. No lease is required, because the log has already
 * decided.
 */
export function closeApprovalsStatement(approval_ids: readonly string[]): Statement {
  return statement([...new Set(approval_ids)].map((approval_id) => ({ approval_id, call_uuid: NO_CALL })));
}

/** Restores from the log which call used which approval. */
export async function restoreUses(sql: Sql, uses: readonly { approval_id: string; call_uuid: string }[]): Promise<void> {
  if (uses.length > 0) await sql.query(statement(uses));
}

/** Whether the approval closed without a grant. */
export async function isApprovalClosed(sql: Sql, approval_id: string): Promise<boolean> {
  const text = 'SELECT 1 AS one FROM approval_uses WHERE approval_id = $1 AND call_uuid = $2';
  const rows = await sql.query({ name: 'approval_closed', text, params: [approval_id, NO_CALL] });
  return rows.length > 0;
}
