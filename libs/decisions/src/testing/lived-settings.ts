import type { EffectClass, EventType, Meta, Principal } from '@countersign/contracts';
import { evolveConfiguration, initialConfiguration } from '@countersign/domain';
import type { ReadEvent } from '../read-event.js';

export const TENANT = 'acme';
export const root: Principal = { kind: 'user', id: 'root', roles: ['admin'] };

/** For specs: a clock, ids derived from it, and a tenant's configuration with its records. */
export class LivedSettings {
  readonly configuration: ReadEvent[] = [];
  readonly config = initialConfiguration();
  private serial = 0;
  hlc = 0;

  constructor(public now_ms: number) {
    this.set('tenant_set', { lane: 'shared', weight: 1, running_max: 8, in_flight_max: 100 });
  }

  /** Records a configuration change at the current time. */
  set<T extends EventType>(event_type: T, body: object): void {
    const event = { meta: this.meta(null), by: root, changed_at_ms: this.now_ms, ...body };
    const topic = event_type === 'tool_registered' ? event_type.replace('_', '-') : 'configuration-changed';
    const offset = this.configuration.filter((one) => one.topic === topic).length;
    const record = {
      event_type,
      event,
      topic,
      partition: 0,
      offset,
      timestamp_ms: this.now_ms,
      traceparent: undefined,
    } as unknown as ReadEvent;
    this.configuration.push(record);
    evolveConfiguration(this.config, record);
    this.now_ms += 1;
  }

  /** The tools of most worlds, one for each default decision. */
  tools(): void {
    this.tool('pay', 'commit_high');
    this.tool('read', 'read_internal');
    this.tool('stage', 'stage');
  }

  tool(name: string, effect_class: EffectClass, input_schema: object = { type: 'object' }): void {
    const plain = {
      name,
      version: '1.0.0',
      title: name,
      category: 'test',
      effect_class,
      reversibility: 'reversible',
      markings: [],
      scopes: [],
    };
    const contract = { ...plain, input_schema, output_schema: { type: 'object' }, idempotency: { except: [] } };
    const contract_json = JSON.stringify(contract);
    this.set('tool_registered', {
      name,
      version: '1.0.0',
      contract_json,
      digest: '',
      lanes: ['shared'],
      executor_id: 'e',
      registered_at_ms: 0,
    });
  }

  policy(version: string, rules: readonly object[]): void {
    this.set('policy_bundle_published', {
      semantics: 2,
      version,
      bundle_json: JSON.stringify({ rules }),
      simulation_digest: null,
      published_at_ms: this.now_ms,
    });
    this.set('policy_bundle_activated', { version, shadow_version: null, activated_at_ms: this.now_ms });
  }

  limit(limit_id: string, more: object): void {
    const plain = {
      version: 1,
      removed: false,
      subjects: [],
      tools: [],
      window_ms: null,
      amount: null,
      per: null,
      allowed: [],
      side_effects: null,
    };
    this.set('limit_set', { limit_id, ...plain, on_exceeded: 'deny', defer_timeout_ms: null, ...more });
  }

  meta(call_id: string | null): Meta {
    const hlc = Math.max(this.hlc, this.now_ms * 1000) + 1;
    this.hlc = hlc;
    const none = { attempt: 0, causation_id: null, correlation_id: '0'.repeat(32), partition: 0 };
    return { event_id: this.id(), tenant_id: TENANT, call_id, hlc, ...none };
  }

  /** A UUIDv7 of the current time. */
  id(): string {
    const time = this.now_ms.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(++this.serial).padStart(12, '0')}`;
  }
}
