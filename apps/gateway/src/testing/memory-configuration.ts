import { DEFAULT_TENANT, type EventMap, type EventType, firstMeta } from '@countersign/contracts';
import {
  type ConfigurationEvent,
  type ConfigurationState,
  evolveConfiguration,
  initialConfiguration,
  type PlacedEvent,
} from '@countersign/domain';
import { AddressRules } from '@countersign/outbound';
import { CONFIGURATION_TOPIC, type Configuration, systemClock } from '@countersign/process';
import type { LogPosition, Store } from '@countersign/store';
import { ConfigurationService } from '../configuration/configuration.service.js';
import type { ChangeBase, ChangeFields, ConfigurationWriter } from '../configuration/configuration-writer.js';
import { tenantDefaults } from '../configuration/default-tenant.js';

const ADMIN = { kind: 'user' as const, id: 'admin', roles: ['admin'] };
/** No instance is running. */
const NO_ROWS = { query: async () => [] } as unknown as Store;

/** A configuration without a log: changes are folded at once. Has the tenants `default` and `acme`. */
export class MemoryConfiguration {
  readonly state: ConfigurationState;
  private offset = 0;

  private constructor() {
    this.state = initialConfiguration();
    for (const tenant_id of [DEFAULT_TENANT, 'acme']) this.write(tenant_id, 'tenant_set', { ...tenantDefaults, principal: ADMIN });
  }

  /** Registers a version of a tool, as its executor would. */
  static register({ state }: ConfigurationService, event: Omit<EventMap['tool_registered'], 'meta'>): void {
    const placed = { event_type: 'tool_registered', event: { meta: { tenant_id: '' }, ...event }, topic: 'tool-registered' };
    evolveConfiguration(state, { ...placed, partition: 0, offset: state.catalog_offset + 1, timestamp_ms: 0 } as unknown as PlacedEvent);
  }

  /** Edits go through the real service. */
  static service(store: Store = NO_ROWS): ConfigurationService {
    const memory = new MemoryConfiguration();
    const terms = { store, lanes: ['shared'], identity_addresses: AddressRules.forIdentity(false) };
    return new ConfigurationService(memory as unknown as Configuration, memory as unknown as ConfigurationWriter, systemClock, terms);
  }

  async set<T extends ConfigurationEvent & EventType>(tenant_id: string, type: T, fields: ChangeFields<T>): Promise<LogPosition> {
    return this.write(tenant_id, type, { ...fields, based_on: [] });
  }

  async change<T extends ConfigurationEvent & EventType>(
    tenant_id: string,
    type: T,
    fields: ChangeFields<T>,
    { versions }: ChangeBase,
  ): Promise<LogPosition | undefined> {
    const position = this.write(tenant_id, type, { ...fields, based_on: versions });
    return this.state.changes.refused.has(position.offset) ? undefined : position;
  }

  private write(tenant_id: string, event_type: string, fields: object): LogPosition {
    const at = { topic: CONFIGURATION_TOPIC, partition: 0, offset: this.offset++ };
    const event = { meta: firstMeta(tenant_id, at.offset), ...fields };
    evolveConfiguration(this.state, { event_type, event, ...at, timestamp_ms: at.offset } as unknown as PlacedEvent);
    return at;
  }
}
