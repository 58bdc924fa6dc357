import { InfrastructureFault, type LimitReservation, laneTopic, parseCallId } from '@countersign/contracts';
import {
  type Counter,
  Counters,
  type Exceeded,
  type Held,
  type HeldVerdict,
  type LimitAsk,
  type LimitVerdict,
  reserveFor,
  restoreReservations,
  settleReservations,
} from '@countersign/domain';
import type { EventLog } from '@countersign/event-log';
import {
  type CounterChange,
  changeCounters,
  countedPartitions,
  countPartition,
  databaseTime,
  dropReservations,
  type Locked,
  type NewCounter,
  type ReservationRow,
  reservationState,
  type Store,
} from '@countersign/store';

/** The partition that decides a call. */
export interface Where {
  lane: string;
  partition: number;
}

const RESTORED_AT_ONCE = 200;
const SETTLED_AT_ONCE = 500;
const KNOWN_MAX = 10_000;
const DROPPED_AT_ONCE = 250;
/** A request that is repeated within a day gets the same answer. */
const KEPT_S = 86_400;

const uuidOf = (call_id: string): string => (parseCallId(call_id) as { uuid: string }).uuid;
/** SQL text cannot contain NUL. */
const sqlText = (text: string): string => text.replaceAll('\u0000', '\ufffd');

/** One row per counter, however many limits use it. */
function countersOf(
  items: Iterable<{ tenant_id: string; of: readonly Pick<LimitReservation, 'counter' | 'limit_id' | 'subject' | 'per'>[] }>,
): NewCounter[] {
  const rows = new Map<string, NewCounter>();
  for (const { tenant_id, of } of items)
    for (const { counter, limit_id, subject, per } of of)
      rows.set(counter, { key: counter, tenant_id, limit_id, subject: sqlText(subject), per: sqlText(per) });
  return [...rows.values()];
}

function readCounters({ slots }: Locked): Counters {
  return new Counters(new Map(Array.from(slots, ([key, text]) => [key, { slots: JSON.parse(text) as Counter['slots'] }])));
}

const written = (counters: Counters) => Array.from(counters.changed, (key) => ({ key, slots: JSON.stringify(counters.of(key).slots) }));

/** A revision of a call that needs reservations, with its tenant. */
export type TenantAsk = LimitAsk & { tenant_id: string };

/** Reservations of calls in SQL: all instances of the policy service share the same rows. */
export class LimitStore {
  private readonly counted = new Set<string>();
  private undropped = 0;
  /** Counters that exist in the database. */
  private readonly known = new Set<string>();

  constructor(
    private readonly store: Store,
    private readonly log: Pick<EventLog, 'partitions'>,
  ) {}

  /**
   * Verdicts in the order of the asks. A reservation is stored with its verdict, so that the same revision gets the same verdict again. A
   * refusal is stored only if it is final, because a deferred call asks again. @throws InfrastructureFault
   */
  async reserve(where: Where, asks: readonly TenantAsk[], isFinal: (exceeded: Exceeded) => boolean): Promise<LimitVerdict[]> {
    await this.mustBeCounted(where.lane);
    let verdicts: LimitVerdict[] = [];
    const about = {
      counters: countersOf(asks.map(({ tenant_id, demands }) => ({ tenant_id, of: demands }))),
      call_uuids: asks.map(({ call_id }) => uuidOf(call_id)),
    };
    await this.change(about, (locked) => {
      const counters = readCounters(locked);
      const held = new Map(Array.from(locked.reservations, ([uuid, row]) => [uuid, heldOf(row)]));
      const rows = new Map<string, ReservationRow>();
      verdicts = asks.map((ask) => {
        const uuid = uuidOf(ask.call_id);
        const before = stillHeld(held.get(uuid), ask);
        const verdict = reserveFor(counters, ask, before);
        if (verdict === before?.verdict || (verdict.kind === 'exceeded' && !isFinal(verdict))) return verdict;
        held.set(uuid, { revision: ask.revision, verdict, settled: false });
        const state = verdict.kind === 'reserved' ? reservationState.held : reservationState.refused;
        // A refused revision releases nothing: what an earlier revision holds is released when the refusal is written to the log.
        if (before?.verdict.kind === 'reserved' && verdict.kind === 'exceeded') return verdict;
        rows.set(uuid, this.row(where, ask, state, verdict));
        return verdict;
      });
      return { counters: written(counters), reservations: [...rows.values()] };
    });
    return verdicts;
  }

  /** Settles ended calls with reservations, each once. @throws InfrastructureFault */
  async settle(ended: readonly (readonly [string, Held])[]): Promise<void> {
    for (let at = 0; at < ended.length; at += SETTLED_AT_ONCE) await this.settleSome(ended.slice(at, at + SETTLED_AT_ONCE));
  }

  private async settleSome(ended: readonly (readonly [string, Held])[]): Promise<void> {
    const about = {
      counters: countersOf(ended.map(([, { tenant_id, reservations }]) => ({ tenant_id, of: reservations }))),
      call_uuids: ended.map(([call_id]) => uuidOf(call_id)),
    };
    await this.change(about, (locked) => {
      const counters = readCounters(locked);
      const rows: ReservationRow[] = [];
      for (const [call_id, held] of ended) {
        const row = locked.reservations.get(uuidOf(call_id));
        if (row?.state !== reservationState.held || !held.settlement) continue;
        settleReservations(counters, held.reservations, held.settlement);
        rows.push({ ...row, state: reservationState.settled });
      }
      this.undropped += rows.length;
      return { counters: written(counters), reservations: rows };
    });
  }

  /** Deletes the reservations of calls that ended long ago, once enough calls have ended. */
  async drop(): Promise<void> {
    if (this.undropped < DROPPED_AT_ONCE) return;
    this.undropped = 0;
    await dropReservations(this.store, Math.floor((await databaseTime(this.store)) / 1000) - KEPT_S);
  }

  /**
   * Restores reservations from the decisions on the log if the database lacks them: once per database. Until every partition of a lane is
   * restored, its limits refuse all reservations.
   */
  async restore(where: Where, held: Iterable<readonly [string, Held]>): Promise<void> {
    const known = await countedPartitions(this.store, where.lane);
    if (known.has(where.partition)) return;
    const all = [...held];
    for (let at = 0; at < all.length; at += RESTORED_AT_ONCE) await this.restoreSome(where, all.slice(at, at + RESTORED_AT_ONCE));
    await countPartition(this.store, where.lane, where.partition);
  }

  private async restoreSome(where: Where, held: readonly (readonly [string, Held])[]): Promise<void> {
    const about = {
      counters: countersOf(held.map(([, { tenant_id, reservations }]) => ({ tenant_id, of: reservations }))),
      call_uuids: held.map(([call_id]) => uuidOf(call_id)),
    };
    await this.change(about, (locked) => {
      const counters = readCounters(locked);
      const rows: ReservationRow[] = [];
      for (const [call_id, { reservations, revision }] of held) {
        if (locked.reservations.has(uuidOf(call_id))) continue;
        restoreReservations(counters, reservations);
        const verdict: LimitVerdict = { kind: 'reserved', reservations: [...reservations] };
        rows.push(this.row(where, { call_id, revision, at_ms: reservations[0]?.at_ms ?? 0 }, reservationState.held, verdict));
      }
      return { counters: written(counters), reservations: rows };
    });
  }

  private async change(about: { counters: NewCounter[]; call_uuids: string[] }, decide: (locked: Locked) => CounterChange): Promise<void> {
    await changeCounters(this.store, { ...about, isKnown: (key) => this.known.has(key) }, decide);
    if (this.known.size > KNOWN_MAX) this.known.clear();
    for (const { key } of about.counters) this.known.add(key);
  }

  private row(
    where: Where,
    { call_id, revision, at_ms }: Pick<LimitAsk, 'call_id' | 'revision' | 'at_ms'>,
    state: ReservationRow['state'],
    verdict: LimitVerdict,
  ): ReservationRow {
    return { call_uuid: uuidOf(call_id), ...where, revision, state, verdict: JSON.stringify(verdict), at_s: Math.floor(at_ms / 1000) };
  }

  private async mustBeCounted(lane: string): Promise<void> {
    if (this.counted.has(lane)) return;
    const known = await countedPartitions(this.store, lane);
    if (known.size < this.log.partitions(laneTopic('policy-decided', lane)))
      throw new InfrastructureFault('limits are not available yet: this database has not counted every partition of the lane');
    this.counted.add(lane);
  }
}

type KnownVerdict = HeldVerdict & { settled: boolean };

function heldOf({ revision, verdict, state }: ReservationRow): KnownVerdict {
  return { revision, verdict: JSON.parse(verdict) as LimitVerdict, settled: state === reservationState.settled };
}

/** A settled verdict is returned to its own revision again; no later revision inherits it. */
function stillHeld(known: KnownVerdict | undefined, ask: LimitAsk): HeldVerdict | undefined {
  return known?.settled && ask.revision > known.revision ? undefined : known;
}
