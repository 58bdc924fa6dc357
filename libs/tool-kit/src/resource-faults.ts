import { isNode, isReadOnly, type JsonSchema, parseResourceName, type ResourceTemplate, type ToolContract } from '@countersign/contracts';
import { inputAt } from './input-at.js';

const TEMPLATES_MAX = 16;
const EFFECTS: readonly unknown[] = ['replaces', 'adds'];

/**
 * Faults in the declared resources of a write, one sentence each.
 * @param running Schema of the inputs that run: the tool's own, or that of a tenant's mapping.
 */
export function resourceFaults({ resources, effect_class }: ToolContract, running: JsonSchema): string[] {
  if (resources === undefined) return [];
  if (isReadOnly(effect_class)) return ['resources: a read-only tool must not declare resources'];
  if (!Array.isArray(resources) || resources.length === 0 || resources.length > TEMPLATES_MAX) {
    return [`resources must list 1 to ${TEMPLATES_MAX} templates; omit it if the write acts on no nameable resource`];
  }
  const faults = resources.flatMap((each, at) => templateFaults(each, running).map((fault) => `resources[${at}]: ${fault}`));
  const names = new Set(resources.map((each) => (isNode(each) ? each.name : each)));
  return names.size < resources.length ? [...faults, 'resources: two templates have the same name'] : faults;
}

function templateFaults(template: ResourceTemplate, schema: JsonSchema): string[] {
  if (!isNode(template) || typeof template.name !== 'string') return ['it must be {name, effect}'];
  const name = parseResourceName(template.name);
  if ('fault' in name) return [`name ${JSON.stringify(template.name)}: ${name.fault}`];
  const unknown = name.pointers.filter((pointer) => inputAt(schema, pointer).length === 0);
  return [...unknown.map((pointer) => `the input has no ${pointer}`), ...effectFaults(template.effect, schema)];
}

function effectFaults(effect: unknown, schema: JsonSchema): string[] {
  if (EFFECTS.includes(effect)) return [];
  if (!isNode(effect) || typeof effect.by !== 'string' || !isNode(effect.values)) {
    return ['effect must be replaces, adds, or {by, values, otherwise}'];
  }
  const { by, values, otherwise } = effect as { by: string; values: Record<string, unknown>; otherwise: unknown };
  if (![...Object.values(values), otherwise].every((each) => EFFECTS.includes(each))) {
    return ['effect: values and otherwise must each be replaces or adds'];
  }
  const possible = inputAt(schema, by).flatMap((each) => choicesOf(each));
  if (possible.length === 0) return [`effect.by: ${by} must be an input with an enum or a boolean`];
  const unknown = Object.keys(values).filter((value) => !possible.includes(value));
  return unknown.length > 0 ? [`effect.values: ${by} is never ${unknown.join(', ')}; it is one of ${possible.join(', ')}`] : [];
}

function choicesOf(schema: JsonSchema): string[] {
  if (Array.isArray(schema.enum)) return schema.enum.filter((each) => typeof each === 'string' || typeof each === 'boolean').map(String);
  if (typeof schema.const === 'string' || typeof schema.const === 'boolean') return [String(schema.const)];
  return [schema.type].flat().includes('boolean') ? ['true', 'false'] : [];
}
