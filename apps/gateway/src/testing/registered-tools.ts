import { contractDigest, type ToolContract } from '@countersign/contracts';
import { ungatedRegistration } from '@countersign/domain/testing/ungated-registration';
import type { ConfigurationService } from '../configuration/configuration.service.js';
import { MemoryConfiguration } from './memory-configuration.js';

const text = { type: 'string' };
const object = (fields: object) => ({ type: 'object', properties: fields, required: Object.keys(fields), additionalProperties: false });

/** A write that can be undone, with the input `id` and the outputs `id` and `count`. */
export function bookingTool(name: string, more: Partial<ToolContract> = {}): ToolContract {
  return {
    ...{ name, version: '1.0.0', title: name, description: name, category: 'trips' },
    ...{ input_schema: object({ id: text }), output_schema: object({ id: text, count: { type: 'integer' } }) },
    ...{ effect_class: 'commit_low', reversibility: 'reversible', idempotency: { except: [] } },
    ...{ takes_key: false, has_reconcile: false, has_compensate: true, timeout_ms: 1000, settle_ms: 2000, settle_is_final: false },
    ...{ max_output_bytes: 1000, markings: [], scopes: [], sla: { p50_ms: 10, p95_ms: 50, p99_ms: 100, availability: 1 } },
    ...more,
  };
}

export function registerTools(configuration: ConfigurationService, ...tools: readonly ToolContract[]): void {
  for (const contract of tools) {
    const { name, version } = contract;
    const announced = { contract_json: JSON.stringify(contract), digest: contractDigest(contract), lanes: ['shared'] };
    const registered = { name, version, executor_id: 'e', registered_at_ms: 1, ...announced, ...ungatedRegistration };
    MemoryConfiguration.register(configuration, registered);
  }
}
