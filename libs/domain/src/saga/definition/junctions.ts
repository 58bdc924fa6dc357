import { type JsonSchema, memberPointer } from '@countersign/contracts';
import { type Binding, type MapBlock, type OutputBlock, usesOf, type WaitBlock } from './definition.js';
import { type DefinitionFault, faultAt, type KnownTool, warningAt } from './faults.js';
import { type Fit, literalFit, schemaFit } from './fit.js';
import { resolveTool } from './tools.js';

/** The values that a place of the definition may read. */
export interface Scope {
  input_schema: JsonSchema | undefined;
  /** Steps and waits that always run before it, by name. */
  ran: ReadonlyMap<string, OutputBlock>;
  /** All names of the definition. */
  names: ReadonlySet<string>;
  in_map: boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object' && !Array.isArray(value);

const partsOf = (pointer: string): string[] | undefined =>
  pointer.startsWith('/') && !/~(?![01])/.test(pointer)
    ? pointer
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    : undefined;

/** The schema of a nested field, or an error text. Only required fields may be read. */
export function schemaAt(schema: JsonSchema, parts: readonly string[]): JsonSchema | string {
  let at: JsonSchema = schema;
  for (const part of parts) {
    if (at.type === 'array' && /^\d{1,9}$/.test(part)) return `item ${part} of a list may be missing: use an expression`;
    const fields = isObject(at.properties) ? at.properties : {};
    if (!Object.hasOwn(fields, part) || !isObject(fields[part]))
      return `there is no field ${part}; there are: ${Object.keys(fields).join(', ') || 'none'}`;
    if (!Array.isArray(at.required) || !at.required.includes(part)) return `${part} may be missing: use an expression, or make it required`;
    const below = fields[part] as JsonSchema;
    at = schema.$defs && !below.$defs ? { ...below, $defs: schema.$defs } : below;
  }
  return at;
}

/** The schema of what a wait was answered. */
function answerSchema(
  { name, wait, on_timeout, answer_schema }: WaitBlock,
  parts: readonly string[],
): (JsonSchema | string)[] | string | undefined {
  if (wait === 'time') return `${name} waits for a moment: it has no output`;
  if (on_timeout === 'continue') return `${name} may go on without an answer: use an expression`;
  return answer_schema && [schemaAt(answer_schema, parts)];
}

/** The possible schemas of a pointer: one per level of its step. A text: why the pointer is invalid. Undefined: unknown. */
function sources(from: string, scope: Scope, tools: readonly KnownTool[]): (JsonSchema | string)[] | string | undefined {
  const [head, name, side, ...rest] = partsOf(from) ?? [];
  if (head === 'inputs') return scope.input_schema ? [schemaAt(scope.input_schema, (partsOf(from) as string[]).slice(1))] : undefined;
  if (head === 'item' || head === 'index') return scope.in_map ? undefined : `/${head} is valid only inside a map`;
  if (head !== 'steps' || name === undefined || side !== 'output')
    return 'a pointer begins with /inputs, /steps/<name>/output, /item or /index';
  const step = scope.ran.get(name);
  if (!step) return scope.names.has(name) ? `${name} may not have run before this step` : `there is no step ${name}`;
  if (step.kind === 'wait') return answerSchema(step, rest);
  if (step.manual !== undefined) return `${name} may end as a manual task, whose answer has no schema: use an expression`;
  return usesOf(step)
    .flatMap((use) => resolveTool(use, tools) ?? [])
    .map((tool) => schemaAt(tool.output_schema, rest));
}

function misfits(fit: Fit, what: string, { step, pointer }: { step: string; pointer: string }): DefinitionFault[] {
  if (fit.kind === 'fits') return [];
  return fit.kind === 'does_not_fit'
    ? [faultAt(step, pointer, `${what} does not fit: ${fit.reason}`)]
    : [warningAt(step, pointer, `${what} may not keep ${fit.keyword} of the input: that is checked only when it runs`)];
}

function bindingFaults(
  binding: Binding,
  target: JsonSchema | undefined,
  at: { step: string; pointer: string },
  scope: Scope,
  tools: readonly KnownTool[],
): DefinitionFault[] {
  const { step, pointer } = at;
  if ('expression' in binding) return [warningAt(step, `${pointer}/expression`, 'the type of an expression is checked only when it runs')];
  if ('literal' in binding)
    return target ? misfits(literalFit(binding.literal, target), 'the literal', { step, pointer: `${pointer}/literal` }) : [];
  const given = sources(binding.from, scope, tools);
  if (typeof given === 'string') return [faultAt(step, `${pointer}/from`, `${binding.from}: ${given}`)];
  if (given === undefined) return [warningAt(step, `${pointer}/from`, `${binding.from}: its type is checked only when it runs`)];
  return given.flatMap((schema) => {
    if (typeof schema === 'string') return [faultAt(step, `${pointer}/from`, `${binding.from}: ${schema}`)];
    return target ? misfits(schemaFit(schema, target), binding.from, { step, pointer: `${pointer}/from` }) : [];
  });
}

/** The faults of the inputs of one use: missing, unknown to the tool, or of the wrong type. */
export function inputFaults(
  inputs: Readonly<Record<string, Binding>>,
  tool: KnownTool,
  at: { step: string; pointer: string },
  scope: Scope,
  tools: readonly KnownTool[],
): DefinitionFault[] {
  const { step, pointer } = at;
  const schema = tool.input_schema;
  const fields = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  const missing = required
    .filter((name) => !Object.hasOwn(inputs, name))
    .map((name) => faultAt(step, `${pointer}/inputs`, `${tool.name} needs the input ${name}`));
  const wrong = Object.entries(inputs).flatMap(([name, binding]) => {
    const place = memberPointer(`${pointer}/inputs`, name);
    if (!Object.hasOwn(fields, name) && schema.additionalProperties === false)
      return [faultAt(step, place, `${tool.name} has no input ${name}`)];
    const target = isObject(fields[name]) ? (schema.$defs ? { ...fields[name], $defs: schema.$defs } : fields[name]) : undefined;
    return bindingFaults(binding, target, { step, pointer: place }, scope, tools);
  });
  return [...missing, ...wrong];
}

/** Whether a map is given a list. */
export function listFaults({ name, over }: MapBlock, pointer: string, scope: Scope, tools: readonly KnownTool[]): DefinitionFault[] {
  const at = { step: name, pointer: `${pointer}/over` };
  if ('literal' in over && !Array.isArray(over.literal)) return [faultAt(name, `${at.pointer}/literal`, 'a map runs over a list')];
  return bindingFaults(over, { type: 'array' }, at, scope, tools);
}
