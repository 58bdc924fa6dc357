import { memberPointer, resourcesOf, type ToolContract, valueAt } from '@countersign/contracts';
import { inertText } from '../sentences/inert-text.js';
import { isPersonal } from '../sentences/shown-value.js';

/** A value that names what a call acts on. */
export interface Recipient {
  /** Kind of the resource, or the pointer of the input. */
  field: string;
  /** Compared, never shown. */
  key: string;
  /** Inert. */
  shown: string;
}

const FIELDS_MAX = 4;
const VALUE_CHARS_MAX = 200;
const RESOURCES_SHOWN_MAX = 8;
/** A field whose value never repeated in this many calls is a free text and names no recipient. */
const ENOUGH_CALLS = 5;

function ofResources(contract: Pick<ToolContract, 'resources'>, inputs: unknown): Recipient[] {
  return resourcesOf(contract, inputs)
    .filter(({ segments }) => segments.length > 1 && !segments.some(isPersonal) && !segments.some((one) => one.startsWith('sealed:')))
    .slice(0, RESOURCES_SHOWN_MAX)
    .map(({ segments: [kind = '', ...rest] }) => ({ field: kind, key: rest.join('/'), shown: inertText(rest.join('/')).text }));
}

function isNaming(schema: unknown, value: unknown): value is string | number {
  if (schema !== null && typeof schema === 'object' && ('enum' in schema || 'const' in schema || 'x-grant' in schema)) return false;
  if (typeof value === 'number') return Number.isInteger(value);
  return typeof value === 'string' && value !== '' && value.length <= VALUE_CHARS_MAX && !isPersonal(value);
}

function ofFields({ idempotency, input_schema }: Pick<ToolContract, 'idempotency' | 'input_schema'>, inputs: unknown): Recipient[] {
  const properties = (input_schema.properties ?? {}) as Record<string, unknown>;
  return (idempotency?.discriminating ?? []).slice(0, FIELDS_MAX).flatMap((name) => {
    const pointer = memberPointer('', name);
    const value = valueAt(inputs, pointer);
    return isNaming(properties[name], value) ? [{ field: pointer, key: String(value), shown: inertText(String(value)).text }] : [];
  });
}

/** What a call acts on: its declared resources, else the inputs that identify its effect. Personal values are left out. */
export function recipientsOf(contract: Pick<ToolContract, 'resources' | 'idempotency' | 'input_schema'>, inputs: unknown): Recipient[] {
  if (inputs === undefined || isPersonal(inputs)) return [];
  return contract.resources && contract.resources.length > 0 ? ofResources(contract, inputs) : ofFields(contract, inputs);
}

/** The recipients of this call that no earlier call had. */
export function firstTimes(mine: readonly Recipient[], earlier: readonly (readonly Recipient[])[], declared: boolean): Recipient[] {
  return mine.filter(({ field, key }) => {
    const keys = earlier.flatMap((one) => one.filter((each) => each.field === field).map((each) => each.key));
    if (keys.includes(key)) return false;
    return declared || keys.length < ENOUGH_CALLS || new Set(keys).size < keys.length;
  });
}
