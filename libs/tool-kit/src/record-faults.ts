import { isNode, isReadOnly, memberPointer, parseResourceName, type ToolContract, toolPatterns } from '@countersign/contracts';

const TAG = /^[a-z][a-z0-9_.:-]{0,63}$/;
const SECRET = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;
const HOST = /^(\*|(\*\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)(:\d{1,5})?$/i;

/** Faults in a tool's declarations beyond those needed to run, one sentence each. */
export function recordFaults(contract: ToolContract): string[] {
  return [
    ...listFaults(contract),
    ...numberFaults(contract),
    ...cacheFaults(contract),
    ...checkFaults(contract),
    ...grantMarkFaults(contract.input_schema, ''),
    ...freeNameFaults(contract),
    ...broadenMarkFaults(contract),
  ];
}

type Schema = Record<string, unknown>;
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** `x-grant` marks the inputs that may differ under 'approve similar': a positive number up to the approved one, or any value. */
function grantMarkFaults({ properties }: Schema, path: string): string[] {
  return Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, field]) => {
    if (!isSchema(field)) return [];
    const at = `${path}/${name}`;
    const mark = field['x-grant'];
    const inner = grantMarkFaults(field, at);
    if (mark === undefined || mark === 'free') return inner;
    if (mark !== 'amount') return [`${at}: x-grant must be amount or free`, ...inner];
    return field.type === 'number' || field.type === 'integer' ? inner : [`${at}: x-grant: amount requires a number`, ...inner];
  });
}

/** A grant on one resource must not let a call act on another, so an input that names one is never free. */
function freeNameFaults({ resources, input_schema }: ToolContract): string[] {
  const naming = (Array.isArray(resources) ? resources : []).flatMap((each) => {
    const name = isNode(each) && typeof each.name === 'string' ? parseResourceName(each.name) : undefined;
    return name && 'pointers' in name ? name.pointers : [];
  });
  return freeInputs(input_schema, '')
    .filter((free) => naming.some((pointer) => pointer === free || pointer.startsWith(`${free}/`)))
    .map((free) => `${free}: x-grant: free is not allowed for an input that names a resource of the tool`);
}

function freeInputs({ properties }: Schema, path: string): string[] {
  return Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, field]) => {
    if (!isSchema(field)) return [];
    const at = memberPointer(path, name);
    return field['x-grant'] === 'free' ? [at] : freeInputs(field, at);
  });
}

/** `x-broaden` marks the filters of a read that a repair may drop, or set to a value, where the answer is empty. */
function broadenMarkFaults({ input_schema, effect_class }: ToolContract): string[] {
  const { properties, required } = input_schema;
  return Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, field]) => {
    const mark = isSchema(field) ? field['x-broaden'] : undefined;
    if (mark === undefined) return [];
    const at = memberPointer('', name);
    if (!isReadOnly(effect_class)) return [`${at}: x-broaden: only the inputs of reads are broadened`];
    const { order, to } = isSchema(mark) ? mark : { order: mark, to: undefined };
    if (typeof order !== 'number' || !Number.isFinite(order)) return [`${at}: x-broaden must be an order, or {order, to}`];
    const is_required = Array.isArray(required) && required.includes(name);
    return to === undefined && is_required ? [`${at}: x-broaden: a required input cannot be dropped; write {order, to}`] : [];
  });
}

function listFaults(contract: ToolContract): string[] {
  const faults: string[] = [];
  const each = (name: 'capabilities' | 'purposes' | 'network' | 'auth_requirements', form: RegExp, what: string) => {
    const wrong = (contract[name] ?? []).filter((item) => !form.test(item));
    if (wrong.length > 0) faults.push(`${name}: ${wrong.map((item) => JSON.stringify(item)).join(', ')} is not ${what}`);
  };
  each('capabilities', TAG, 'a tag');
  each('purposes', TAG, 'a purpose');
  each('network', HOST, 'a host');
  each('auth_requirements', SECRET, 'the name of a secret');
  if (contract.pattern !== undefined && !toolPatterns.includes(contract.pattern)) {
    faults.push(`pattern must be one of ${toolPatterns.join(', ')}`);
  }
  if (contract.endpoint !== undefined && /^[a-z][a-z0-9+.-]*:\/\/[^/]*@/i.test(contract.endpoint))
    faults.push('endpoint must not contain credentials');
  return faults;
}

function numberFaults({ sla, accuracy, cost_per_call, audit_status }: ToolContract): string[] {
  const faults: string[] = [];
  const share = (value: number) => value >= 0 && value <= 1;
  if (sla) {
    const { p50_ms, p95_ms, p99_ms, availability } = sla;
    if (!(p50_ms > 0 && p50_ms <= p95_ms && p95_ms <= p99_ms)) faults.push('sla must have 0 < p50_ms <= p95_ms <= p99_ms');
    if (!share(availability)) faults.push('sla.availability must be from 0 to 1');
  }
  if (accuracy !== undefined && !share(accuracy)) faults.push('accuracy must be from 0 to 1');
  if (cost_per_call !== undefined && !(Number.isFinite(cost_per_call) && cost_per_call >= 0))
    faults.push('cost_per_call must be 0 or more');
  if (audit_status !== undefined && ![0, 1, 2].includes(audit_status)) faults.push('audit_status must be 0, 1 or 2');
  return faults;
}

function cacheFaults({ cache, effect_class }: ToolContract): string[] {
  if (!cache) return [];
  const faults: string[] = [];
  if (!['none', 'ttl', 'forever'].includes(cache.kind)) faults.push('cache.kind must be none, ttl or forever');
  if (cache.kind !== 'none' && !isReadOnly(effect_class)) faults.push('only read-only tools may have a cache');
  const whole = Number.isInteger(cache.ttl_ms) && (cache.ttl_ms as number) > 0;
  if (cache.kind === 'ttl' ? !whole : cache.ttl_ms !== undefined)
    faults.push('cache.ttl_ms must be a positive whole number, with kind ttl only');
  return faults;
}

function checkFaults({ sanity = [], has_verify, effect_class }: ToolContract): string[] {
  const faults: string[] = [];
  if (has_verify && isReadOnly(effect_class)) faults.push('a read-only tool has no effect that verify could find');
  const names = sanity.map(({ name }) => name);
  if (new Set(names).size < names.length) faults.push('two sanity predicates have the same name');
  for (const { name, severity } of sanity) {
    if (!TAG.test(name)) faults.push(`sanity: ${JSON.stringify(name)} is not a name`);
    if (severity !== 'warn' && severity !== 'block') faults.push(`sanity ${name}: severity must be warn or block`);
  }
  return faults;
}
