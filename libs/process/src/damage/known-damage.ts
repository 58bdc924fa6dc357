import { type EventCodec, type EventType, firstMeta } from '@countersign/contracts';
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
import { INSTALLATION, securityRecord } from '../security-record.js';
import { CONFIGURATION_TOPIC } from '../topics.js';

export const DAMAGE_TOPIC = 'record-damage';
/** A partition that was rewritten as a whole would fill the log with events that say so. */
const EVENTS_OF_PLACE_MAX = 20;
const AGAIN_MS = 2000;
const FOLDED: ReadonlySet<EventType> = new Set<EventType>(['damage_found', 'damage_accepted']);

const placeOf = ({ kind, topic, partition, tenant_id, generation }: OpenDamage) =>
  JSON.stringify([kind, topic, partition, tenant_id, generation]);

/** Two reports of one damage have one name, whoever found it. */
const nameOf = (damage: OpenDamage) => JSON.stringify([placeOf(damage), damage.first_offset, damage.last_offset, damage.reason]);

function fold(state: DamageState, at: Recorded): DamageState {
  if (at.event_type === 'damage_found') return foundDamage(state, at.event);
  if (at.event_type === 'damage_accepted') return acceptedDamage(state, at.event, at.offset);
  return state;
}

/** What the log is read and written with. */
export interface KnownDamageDeps {
  log: EventLog;
  codec: EventCodec;
  /** The registry behind the codec; absent embedded. */
  schemas?: SchemaSource;
  clock: Clock;
  logger: Pick<Logger, 'error'>;
}

/**
 * The damage of the record as this process has folded it. What is found is put on the record once (`damage_found` and a
 * security event) and counts from the moment that it is reported, also while the log takes nothing.
 */
export class KnownDamage implements DamageReport {
  private readonly folded: FoldedTopics<DamageState>;
  /** Reported here and not folded yet, by name. */
  private readonly reported = new Map<string, OpenDamage>();
  private isStarted = false;
  private isClosed = false;

  constructor(private readonly deps: KnownDamageDeps) {
    const { log, codec, schemas } = deps;
    const topics = [DAMAGE_TOPIC, CONFIGURATION_TOPIC];
    const evolve = fold;
    this.folded = new FoldedTopics({ log, codec, topics, only: FOLDED, initial: noDamage(), evolve, ...(schemas ? { schemas } : {}) });
  }

  /** Resolves when all that is on the log is folded; writes what was reported before. */
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

  /** What is on the record. */
  get state(): DamageState {
    return this.folded.state;
  }

  /** All that is not accepted, also what is not on the record yet. */
  get open(): readonly OpenDamage[] {
    return [...this.state.open.values(), ...this.reported.values()];
  }

  /** Resolves when this record of `configuration-changed` is folded here. */
  decided(offset: number): Promise<void> {
    return this.folded.folded(CONFIGURATION_TOPIC, offset);
  }

  /** What keeps this tenant from writing; undefined where nothing does. */
  of(tenant: { tenant_id: string; lane: string }): OpenDamage | undefined {
    return damageOf(this.open, tenant);
  }

  /** Decisions that let trees be opened that the signer could not continue. */
  get openings(): DamageState['openings'] {
    return this.state.openings;
  }

  /** Whether no checkpoint may be signed. */
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
    const tenant_id = damage.tenant_id ?? INSTALLATION;
    const meta = firstMeta(tenant_id, damage.found_at_ms);
    const value = codec.encode('damage_found', { meta, ...damage });
    const found = { topic: DAMAGE_TOPIC, partition: 0, key: tenant_id, value, headers: { event_type: 'damage_found' } };
    const security_meta = { ...firstMeta(tenant_id, damage.found_at_ms), causation_id: meta.event_id };
    const detail = damage.reason;
    const security = { meta: security_meta, kind: 'record_broken', detail, principal: null, recorded_at_ms: damage.found_at_ms };
    return [found, securityRecord(codec, null, security)];
  }
}
