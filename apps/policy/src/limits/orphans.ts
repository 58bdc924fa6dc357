import { callId } from '@countersign/contracts';
import { giveBack, type LimitLedger, type LimitVerdict } from '@countersign/domain';
import { heldReservations, type ReservationRow, type Sql } from '@countersign/store';
import type { Where } from './limit-store.js';

interface Found {
  where: Where;
  ledger: LimitLedger;
  rows: readonly ReservationRow[];
}

/**
 * Reservations in SQL whose decision never reached the log, because a process died between the two. They are found when a partition is
 * opened. Once every request of that time was read, reservations without a call are released.
 */
export class Orphans {
  private found: Found[] = [];

  constructor(private readonly sql: Sql) {}

  async find(where: Where, ledger: LimitLedger): Promise<void> {
    const rows = (await heldReservations(this.sql, where.lane, where.partition)).filter((row) => !ledger.held.has(callOf(row)));
    if (rows.length > 0) this.found.push({ where, ledger, rows });
  }

  forget(ledger: LimitLedger): void {
    this.found = this.found.filter((one) => one.ledger !== ledger);
  }

  /** Releases unclaimed reservations. `readAll`: resolves when every input of the lane up to now was handled. */
  async giveBack(readAll: (lane: string) => Promise<void>): Promise<void> {
    const found = this.found;
    this.found = [];
    for (const [i, { where, ledger, rows }] of found.entries()) {
      try {
        await readAll(where.lane);
      } catch (cause) {
        this.found.push(...found.slice(i));
        throw cause;
      }
      for (const row of rows) release(ledger, row);
    }
  }
}

const callOf = ({ partition, call_uuid }: ReservationRow): string => callId(partition, call_uuid);

function release(ledger: LimitLedger, row: ReservationRow): void {
  const call_id = callOf(row);
  const verdict = JSON.parse(row.verdict) as LimitVerdict;
  if (verdict.kind !== 'reserved' || ledger.held.has(call_id)) return;
  const { reservations } = verdict;
  giveBack(ledger, call_id, { tenant_id: '', key: '', discriminating_digest: '', revision: row.revision, reservations });
}
