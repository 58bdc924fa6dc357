import { DEFINITION_NAME, isDefinitionVersion } from '@countersign/definitions';
import type { Binding, Block, SagaDefinition, ToolUse } from '@countersign/domain';
import { z } from 'zod';

const DAY_MS = 86_400_000;
const LONGEST_MS = 366 * DAY_MS;
const WAIT_MAX_DEFAULT_MS = 7 * DAY_MS;

const inputs = z
  .record(z.string().max(200), z.unknown())
  .optional()
  .describe('a value; or `{from: <pointer>}`, `{expression: <JSONata>}` or `{literal: <value>}`');
const use = {
  tool: z.string().min(1).max(64),
  version: z.string().min(1).max(64).optional().describe('`1.2.3`, `^1.2.3` or `~1.2.3`; absent: the newest active version'),
  inputs,
};

const step = z
  .strictObject({
    id: z.string().min(1).max(64),
    ...use,
    compensation: z.strictObject(use).optional().describe("replaces the tool's own compensation"),
    fallbacks: z.array(z.strictObject(use)).max(8).optional().describe('tried in this order after a failure without an effect'),
    manual: z.string().min(1).max(1000).optional().describe('the last level: what a person must do'),
    when: z.string().min(1).max(4096).optional().describe('CEL; the step is skipped if it is false'),
    asks: z.boolean().optional().describe('a person approves it first'),
  })
  .meta({ id: 'ShortSagaStep' });

/** A definition as a list of steps that run one after another. */
export const shortDefinition = z
  .strictObject({
    name: z.string().regex(DEFINITION_NAME, 'at most 64 of a to z, 0 to 9, _ and -, a letter first'),
    version: z.string().refine(isDefinitionVersion, 'is no exact semantic version such as 1.0.0'),
    input_schema: z.record(z.string(), z.unknown()).optional(),
    deadline_ms: z.int().min(1).max(LONGEST_MS).optional(),
    wait_max_ms: z.int().min(1).max(LONGEST_MS).optional().describe('absent: 7 days'),
    steps: z.array(step).min(1).max(100),
  })
  .meta({ id: 'ShortSagaDefinition' });

export type ShortDefinition = z.infer<typeof shortDefinition>;
type Use = Pick<ShortDefinition['steps'][number], 'tool' | 'version' | 'inputs'>;

const BINDINGS: ReadonlySet<string> = new Set(['from', 'literal', 'expression']);

/** An object with one member that names a kind of binding is a binding; anything else is a literal. */
function bindingOf(value: unknown): Binding {
  const isBinding = value !== null && typeof value === 'object' && Object.keys(value).length === 1;
  return isBinding && BINDINGS.has(Object.keys(value)[0] as string) ? (value as Binding) : { literal: value };
}

/** The place in a short definition of a pointer into the whole one. */
export const shortPointer = (pointer: string): string =>
  pointer
    .replace(/^\/root\/blocks\/(\d+)/, '/steps/$1')
    .replace(/^(\/steps\/\d+)\/use(?=\/|$)/, '$1')
    .replace(/^(\/steps\/\d+)\/name$/, '$1/id');

/** The definition as blocks. `versionOf`: the version of a tool whose step names none. */
export function wholeDefinition({ steps, ...frame }: ShortDefinition, versionOf: (tool: string) => string): SagaDefinition {
  const useOf = ({ tool, version, inputs: values = {} }: Use): ToolUse => ({
    tool,
    version: version ?? versionOf(tool),
    inputs: Object.fromEntries(Object.entries(values).map(([field, value]) => [field, bindingOf(value)])),
  });
  const blocks = steps.map(
    ({ id, compensation, fallbacks, manual, when, asks, ...used }): Block => ({
      ...{ kind: 'step', name: id, use: useOf(used) },
      ...(compensation && { compensation: useOf(compensation) }),
      ...(fallbacks && { fallbacks: fallbacks.map(useOf) }),
      ...(manual !== undefined && { manual }),
      ...(when !== undefined && { when }),
      ...(asks !== undefined && { asks }),
    }),
  );
  const { input_schema, deadline_ms, wait_max_ms = WAIT_MAX_DEFAULT_MS, ...named } = frame;
  return {
    ...named,
    wait_max_ms,
    ...(input_schema && { input_schema }),
    ...(deadline_ms !== undefined && { deadline_ms }),
    root: { kind: 'sequence', blocks },
  };
}
