import { isNode, memberPointer } from '@countersign/contracts';
import type { RepairInputs } from './repairs.js';

/** A value inside of inputs. */
export interface InputPlace {
  pointer: string;
  /** Names of members, and indices of lists as digits. */
  parts: readonly string[];
  value: unknown;
}

const LEVELS_MAX = 16;
const INDEX = /^(0|[1-9]\d{0,5})$/;

/** A member of an object, or an item of a list, but nothing inherited. */
function memberOf(value: unknown, part: string): { value: unknown } | undefined {
  const found = Array.isArray(value) ? INDEX.test(part) && Number(part) < value.length : isNode(value) && Object.hasOwn(value, part);
  return found ? { value: (value as Record<string, unknown>)[part] } : undefined;
}

/** The value at a JSON Pointer; undefined if there is none, for the whole inputs, and for a name that would set a prototype. */
export function placeAt(inputs: RepairInputs, pointer: string): InputPlace | undefined {
  if (!pointer.startsWith('/')) return undefined;
  const parts = pointer
    .slice(1)
    .split('/', LEVELS_MAX + 1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (parts.length > LEVELS_MAX || parts.includes('__proto__')) return undefined;
  let at: unknown = inputs;
  for (const part of parts) {
    const member = memberOf(at, part);
    if (!member) return undefined;
    at = member.value;
  }
  return { pointer: parts.reduce<string>(memberPointer, ''), parts, value: at };
}

/** The inputs with another value at a place; undefined removes a member of an object. The given inputs stay as they are. */
export function withValue(inputs: RepairInputs, { parts }: Pick<InputPlace, 'parts'>, value: unknown): RepairInputs {
  const copy = { ...inputs } as Record<string, unknown>;
  let at = copy;
  for (const part of parts.slice(0, -1)) {
    const inner = at[part] as object;
    at[part] = Array.isArray(inner) ? [...inner] : { ...inner };
    at = at[part] as Record<string, unknown>;
  }
  const last = parts.at(-1) as string;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}
