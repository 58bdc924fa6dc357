import { Refusal } from '@countersign/calls';
import type { EventType } from '@countersign/contracts';
import type { ConfigurationState } from '@countersign/domain';
import type { AddressRules } from '@countersign/outbound';
import { type Clock, CONFIGURATION_TOPIC, type Configuration } from '@countersign/process';
import type { Store } from '@countersign/store';
import type { PatientRequest } from '../requests/preferences.js';
import { ConfigurationEdits, type Edit, type Edited } from './configuration-edits.js';
import type { ChangeFields, ConfigurationEvent, ConfigurationWriter } from './configuration-writer.js';
import type { ConditionalRequest } from './precondition.js';
import { type Everywhere, RunningInstances } from './running-instances.js';

/** A request that edits the configuration. Uses the headers `If-Match`, `If-None-Match` and `Prefer`. */
export type EditRequest = ConditionalRequest & PatientRequest;

/** An edit that took effect, and the running instances that have it. */
export type EditedEverywhere<T extends ConfigurationEvent & EventType> = Edited<T> & { everywhere: Everywhere };

export interface ConfigurationTerms {
  store: Store;
  /** The lanes that this gateway serves. */
  lanes: readonly string[];
  /** Allowed addresses of identity providers and token endpoints. */
  identity_addresses: AddressRules;
}

/** An older configuration may lack a revocation, so it authenticates no one. */
export const SILENCE_MAX_MS = 15_000;

/** The current configuration, and edits of it. */
export class ConfigurationService {
  readonly edits: ConfigurationEdits;
  readonly lanes: readonly string[];
  readonly identity_addresses: AddressRules;
  private readonly instances: RunningInstances;

  constructor(
    private readonly configuration: Configuration,
    readonly writer: ConfigurationWriter,
    readonly clock: Clock,
    { store, lanes, identity_addresses }: ConfigurationTerms,
  ) {
    this.edits = new ConfigurationEdits(configuration, writer);
    this.instances = new RunningInstances(store, clock);
    this.lanes = lanes;
    this.identity_addresses = identity_addresses;
  }

  get state(): ConfigurationState {
    return this.configuration.state;
  }

  /** True if this gateway has not read the configuration for so long that it may lack a revocation. */
  get is_stale(): boolean {
    return this.configuration.staleness_ms(CONFIGURATION_TOPIC) > SILENCE_MAX_MS;
  }

  now_ms(): number {
    return this.clock.now_ms();
  }

  /** The current ETag of an item (itemNames). */
  etag(tenant_id: string, item: string): string {
    return this.edits.etag(tenant_id, item);
  }

  /**
   * Edits configuration that policy services and executors use. Waits until the running instances have it, so that a later call meets no
   * instance without it.
   */
  async editEverywhere<T extends ConfigurationEvent & EventType>(
    request: EditRequest,
    edit: Edit<T>,
  ): Promise<EditedEverywhere<T> | Refusal> {
    const edited = await this.edits.edit(request, edit);
    if (edited instanceof Refusal) return edited;
    return { ...edited, everywhere: await this.instances.reached(edited.position.offset, request) };
  }

  /** Writes an addition that needs no check, and waits as `editEverywhere` does. */
  async setEverywhere<T extends ConfigurationEvent & EventType>(
    request: PatientRequest,
    tenant_id: string,
    type: T,
    fields: ChangeFields<T>,
  ): Promise<Everywhere> {
    const { offset } = await this.writer.set(tenant_id, type, fields);
    return this.instances.reached(offset, request);
  }
}
