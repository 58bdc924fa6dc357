import type { Block, SagaDefinition, StepBlock } from '../../saga/definition/definition.js';
import type { KnownTool } from '../../saga/definition/faults.js';

export const text = { type: 'string' };
/** A closed object that has all of these fields. */
export const object = (fields: object) => ({
  type: 'object',
  properties: fields,
  required: Object.keys(fields),
  additionalProperties: false,
});
/** A write that can be undone, with the input `id`. */
export const tool = (name: string, more: Partial<KnownTool> = {}): KnownTool => ({
  ...{
    name,
    version: '1.0.0',
    state: 'active',
    input_schema: object({ id: text }),
    output_schema: object({ id: text, count: { type: 'integer' } }),
  },
  ...{ is_write: true, reversibility: 'reversible', has_compensate: true, latency_p99_ms: 100 },
  ...more,
});
export const tools = [
  tool('book'),
  tool('look', { is_write: false }),
  tool('pay', { reversibility: 'irreversible', has_compensate: false }),
  tool('note', { has_compensate: false }),
  tool('old', { state: 'deprecated' }),
];
/** A step whose input comes from the inputs of the saga. */
export const step = (
  name: string,
  used = name,
  more: Partial<StepBlock> = {},
  id: StepBlock['use']['inputs'][string] = { from: '/inputs/id' },
): StepBlock => ({
  ...{ kind: 'step', name, use: { tool: used, version: '^1.0.0', inputs: { id } } },
  ...more,
});
export const tripOf = (root: Block, more: Partial<SagaDefinition> = {}): SagaDefinition => ({
  name: 'trip',
  version: '1.0.0',
  wait_max_ms: 1000,
  input_schema: object({ id: text, ids: { type: 'array', items: text } }),
  root,
  ...more,
});
export const sequence = (...blocks: Block[]): Block => ({ kind: 'sequence', blocks });
