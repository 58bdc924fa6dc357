import type { Reconciled, RunContext, Verified } from '@countersign/tool-kit';
import { faultPoint, type LedgerRequest } from './fault-switches.js';
import { inLedger, type LedgerSession } from './ledger-session.js';

/**
 * Notes the request, waits for other requests of its key, and does the work between its two fault points. `work` commits what it changes
 * before it returns.
 */
export function request<T>(ctx: RunContext, asked: LedgerRequest, work: (session: LedgerSession) => Promise<T>): Promise<T> {
  return inLedger(ctx, async (session) => {
    await note(session, asked);
    session.outcome_is_open = true;
    await session.rows(`SELECT pg_advisory_lock(${LOCK})`, [lockText(session, asked)]);
    session.outcome_is_open = false;
    await faultPoint(session, asked, 'before');
    const result = await work(session);
    await faultPoint(session, asked, 'after');
    return result;
  });
}

/** A question about the effect of a key. While a run of the key is in progress nobody can tell. */
export function question<T extends Reconciled<unknown> | Verified>(
  ctx: RunContext,
  asked: LedgerRequest,
  work: (session: LedgerSession) => Promise<T>,
): Promise<T | { kind: 'cannot_tell'; why: string }> {
  return inLedger(ctx, async (session) => {
    await note(session, asked);
    await faultPoint(session, asked, 'before');
    const lock = await session.row<{ free: boolean }>(`SELECT pg_try_advisory_lock_shared(${LOCK}) AS free`, [lockText(session, asked)]);
    return lock?.free ? work(session) : { kind: 'cannot_tell', why: 'a run of this key is in progress' };
  });
}

/** Locks are per database, so the schema is part of what is locked. */
const LOCK = 'hashtextextended(current_schema() || $1, 0)';
const lockText = ({ ctx }: LedgerSession, { key }: LedgerRequest): string => `/${ctx.tenant_id}/${key}`;

async function note(session: LedgerSession, { tool, action, key }: LedgerRequest): Promise<void> {
  const params = [session.ctx.tenant_id, tool, action, key];
  await session.rows('INSERT INTO requests (tenant_id, tool, action, key) VALUES ($1, $2, $3, $4)', params);
}
