import { DEFAULT_TENANT, type EventCodec, type EventType, firstMeta } from '@countersign/contracts';
import {
  acceptedDamage,
  type DamageState,
  damageOf,
  foundDamage,
  holdsSigning,
  isLost,
  noDamage,
  type OpenDamage,
} from '@countersign/domain';
import type { EventLog, NewRecord, Recorded, SchemaSource } from '@countersign/event-log';
import { FoldedTopics } from '@countersign/event-log/transport/folded-topics';
import type { DamageReport, FoundDamage } from '@countersign/evidence';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import { securityRecord } from '../security-record.js';
import { CONFIGURATION_TOPIC } from '../topics.js';

export const DAMAGE_TOPIC = 'record-damage';
/** Limits events for one place, because a completely rewritten partition would fill the log with them. */
const EVENTS_OF_PLACE_MAX = 20;
const AGAIN_MS = 2000;
const FOLDED: ReadonlySet<EventType> = new Set<EventType>(['damage_found', 'damage_accepted']);

const placeOf = ({ kind, topic, partition, tenant_id, generation }: OpenDamage) =>
  JSON.stringify([kind, topic, partition, tenant_id, generation]);

/** Two reports of the same damage have the same name, whoever found it. */
const nameOf = (damage: OpenDamage) => JSON.stringify([placeOf(damage), damage.first_offset, damage.last_offset, damage.reason]);

function fold(state: DamageState, at: Recorded): DamageState {
  if (at.event_type === 'damage_found') return foundDamage(state, at.event);
  if (at.event_type === 'damage_accepted') return acceptedDamage(state, at.event, at.offset);
  return state;
}

/** Dependencies for reading and writing the log. */
export interface KnownDamageDeps {
  log: EventLog;
  codec: EventCodec;
  /** The registry used by the codec; absent embedded. */
  schemas?: SchemaSource;
  clock: Clock;
  logger: Pick<Logger, 'error'>;
}

/**
 * The damage of the record as folded by this process. Found damage is recorded once (`damage_found` and a security event) and counts from
 * the moment of its report, also while the log accepts no appends.
 */
export class KnownDamage implements DamageReport {
  private readonly folded: FoldedTopics<DamageState>;
  /** Reported by this process and not folded yet, by name. */
  private readonly reported = new Map<string, OpenDamage>();
  private isStarted = false;
  private isClosed = false;

  constructor(private readonly deps: KnownDamageDeps) {
    const { log, codec, schemas } = deps;
    const topics = [DAMAGE_TOPIC, CONFIGURATION_TOPIC];
    const evolve = fold;
    this.folded = new FoldedTopics({ log, codec, topics, only: FOLDED, initial: noDamage(), evolve, ...(schemas ? { schemas } : {}) });
  }

  /** Resolves when everything on the log is folded; records earlier reports. */
  async start(): Promise<void> {
    await this.folded.start();
    this.isStarted = true;
    const early = [...this.reported];
    this.reported.clear();
    for (const [name, damage] of early) this.report(name, damage);
  }

  close(): Promise<void> {
    this.isClosed = true;
    return this.folded.close();
  }

  /** The recorded damage. */
  get state(): DamageState {
    return this.folded.state;
  }

  /** All damage that is not accepted, including damage that is not recorded yet. */
  get open(): readonly OpenDamage[] {
    return [...this.state.open.values(), ...this.reported.values()];
  }

  /** Resolves when this process has folded this record of `configuration-changed`. */
  decided(offset: number): Promise<void> {
    return this.folded.folded(CONFIGURATION_TOPIC, offset);
  }

  /** The damage that blocks writes of this tenant; undefined if there is none. */
  of(tenant: { tenant_id: string; lane: string }): OpenDamage | undefined {
    return damageOf(this.open, tenant);
  }

  /** Decisions that allow new trees in place of trees that the signer could not continue. */
  get openings(): DamageState['openings'] {
    return this.state.openings;
  }

  /** Whether signing of checkpoints is blocked. */
  get holdsSigning(): boolean {
    return holdsSigning(this.open);
  }

  found({ found_by, ...damage }: FoundDamage): boolean {
    const {
      kind,
      topic = null,
      partition = null,
      first_offset = null,
      last_offset = null,
      tenant_id = null,
      generation = 1,
      reason,
    } = damage;
    const found_at_ms = this.deps.clock.now_ms();
    const place = { kind, topic, partition, first_offset, last_offset, generation, tenant_id };
    const open = { ...place, reason, found_by, found_at_ms, damage_id: '' };
    if (isLost(this.state, open)) return false;
    this.report(nameOf(open), open);
    return true;
  }

  private report(name: string, damage: OpenDamage): void {
    if (this.reported.has(name) || this.isKnown(name, damage)) return;
    this.reported.set(name, damage);
    this.deps.logger.error({ event: 'damage_found', ...damage }, 'the log differs from what was signed');
    if (this.isStarted) void this.write(name, damage);
  }

  private isKnown(name: string, damage: OpenDamage): boolean {
    if (isLost(this.state, damage)) return true;
    const alike = this.open.filter((known) => placeOf(known) === placeOf(damage));
    return alike.length >= EVENTS_OF_PLACE_MAX || alike.some((known) => nameOf(known) === name);
  }

  private async write(name: string, damage: OpenDamage): Promise<void> {
    try {
      const [offset] = await this.deps.log.append(this.recordsOf(damage));
      await this.folded.folded(DAMAGE_TOPIC, offset as number);
      this.reported.delete(name);
    } catch (cause) {
      if (this.isClosed) return;
      this.deps.logger.error({ event: 'damage_not_recorded', cause: String(cause) }, 'a damage could not be recorded; retrying');
      setTimeout(() => void this.write(name, damage), AGAIN_MS).unref();
    }
  }

  private recordsOf({ damage_id: _, ...damage }: OpenDamage): NewRecord[] {
    const { codec } = this.deps;
    const tenant_id = damage.tenant_id ?? DEFAULT_TENANT;
    const meta = firstMeta(tenant_id, damage.found_at_ms);
    const value = codec.encode('damage_found', { meta, ...damage });
    const found = { topic: DAMAGE_TOPIC, partition: 0, key: tenant_id, value, headers: { event_type: 'damage_found' } };
    const security_meta = { ...firstMeta(tenant_id, damage.found_at_ms), causation_id: meta.event_id };
    const detail = damage.reason;
    const security = { meta: security_meta, kind: 'record_broken', detail, principal: null, recorded_at_ms: damage.found_at_ms };
    return [found, securityRecord(codec, null, security)];
  }
}
