import type { RecordWriter } from '@countersign/calls';
import { type BaseVersion, type EventCodec, type EventMap, type EventType, firstMeta, InfrastructureFault } from '@countersign/contracts';
import type { ConfigurationEvent } from '@countersign/domain';
import { type Clock, CONFIGURATION_TOPIC, type Configuration } from '@countersign/process';
import { allRefuseMovedBases, type LogPosition, type Store } from '@countersign/store';

export type { ConfigurationEvent } from '@countersign/domain';

/** The fields of a configuration-changed event, without its metadata. */
export type ChangeFields<T extends ConfigurationEvent & EventType> = Omit<EventMap[T], 'meta' | 'based_on'>;

/** The versions that a change was checked against. `is_required`: do not write the change if a running instance cannot check them. */
export interface ChangeBase {
  versions: readonly BaseVersion[];
  is_required: boolean;
}

/** Writes configuration and resolves when this gateway's own fold has it. */
export class ConfigurationWriter {
  /** The last known result; undefined: not yet determined. */
  private bases_are_understood: boolean | undefined;

  constructor(
    private readonly writer: RecordWriter,
    private readonly configuration: Configuration,
    private readonly codec: EventCodec,
    private readonly parts: { clock: Clock; store: Store },
  ) {}

  /**
   * Overwrites concurrent changes. @returns the position on configuration-changed. @throws InfrastructureFault if the log is unavailable.
   */
  async set<T extends ConfigurationEvent & EventType>(tenantId: string, type: T, fields: ChangeFields<T>): Promise<LogPosition> {
    return { topic: CONFIGURATION_TOPIC, partition: 0, offset: await this.write(tenantId, type, { ...fields, based_on: [] }) };
  }

  /**
   * Takes effect only if nothing of its base has changed. @returns undefined if something had: the change is on the log, and every service
   * ignores it. @throws InfrastructureFault if the log is unavailable, or if the base is required and it is unknown whether every running
   * instance understands it.
   */
  async change<T extends ConfigurationEvent & EventType>(
    tenantId: string,
    type: T,
    fields: ChangeFields<T>,
    base: ChangeBase,
  ): Promise<LogPosition | undefined> {
    const based_on = (await this.mayName(base)) ? base.versions : [];
    const offset = await this.write(tenantId, type, { ...fields, based_on });
    if (this.configuration.state.changes.refused.has(offset)) return undefined;
    return { topic: CONFIGURATION_TOPIC, partition: 0, offset };
  }

  /** While an instance of an older build runs, changes are written without base versions: it would apply changes that the others ignore. */
  private async mayName({ is_required }: ChangeBase): Promise<boolean> {
    try {
      this.bases_are_understood = await allRefuseMovedBases(this.parts.store);
    } catch (cause) {
      if (is_required && !this.bases_are_understood)
        throw new InfrastructureFault('could not read the list of running instances', { cause });
    }
    return this.bases_are_understood ?? false;
  }

  private async write(tenantId: string, type: ConfigurationEvent & EventType, fields: object): Promise<number> {
    const meta = firstMeta(tenantId, this.parts.clock.now_ms());
    const value = this.codec.encode(type, { meta, ...fields } as unknown as EventMap[typeof type]);
    const headers = { event_type: type };
    const offset = await this.writer.write({ topic: CONFIGURATION_TOPIC, partition: 0, key: tenantId, value, headers });
    await this.configuration.folded(CONFIGURATION_TOPIC, offset);
    return offset;
  }
}
