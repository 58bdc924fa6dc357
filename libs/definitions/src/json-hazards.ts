import { memberPointer } from '@countersign/contracts';

/** Deeper than any meaningful value, and less than the recursion limit. */
export const LEVELS_MAX = 64;
const POINTER_MAX = 200;

/** Why a JSON value must not be used: JSON Pointer, code and message. */
export interface JsonHazard {
  path: string;
  code: 'too_deep' | 'prototype_key';
  message: string;
}

type Path = readonly PropertyKey[];
const pointer = (path: Path): string => path.reduce<string>(memberPointer, '');

/** A value that is nested too deeply. Visits each value once, without recursion. */
export function tooDeep(value: unknown): JsonHazard | undefined {
  const open: { value: unknown; path: Path }[] = [{ value, path: [] }];
  for (let one = open.pop(); one; one = open.pop()) {
    const { value: at, path } = one;
    if (typeof at !== 'object' || at === null) continue;
    if (path.length >= LEVELS_MAX)
      return { path: pointer(path).slice(0, POINTER_MAX), code: 'too_deep', message: `is nested more than ${LEVELS_MAX} levels deep` };
    for (const [name, member] of Object.entries(at))
      if (typeof member === 'object' && member !== null)
        open.push({ value: member, path: [...path, Array.isArray(at) ? Number(name) : name] });
  }
  return undefined;
}

const takesPrototype = (value: object): string | undefined => {
  if (Object.hasOwn(value, '__proto__')) return '__proto__';
  const made = Object.hasOwn(value, 'constructor') ? (value as { constructor: unknown }).constructor : undefined;
  return typeof made === 'object' && made !== null && Object.hasOwn(made, 'prototype') ? 'constructor' : undefined;
};

/** A key that could pollute a prototype: `__proto__`, or `constructor` with a `prototype`. */
export function prototypeKey(value: unknown): JsonHazard | undefined {
  const open: { value: unknown; path: Path }[] = [{ value, path: [] }];
  for (let one = open.pop(); one; one = open.pop()) {
    const { value: at, path } = one;
    if (typeof at !== 'object' || at === null) continue;
    const key = takesPrototype(at);
    if (key !== undefined) {
      const message = 'the key __proto__, or constructor with a prototype member, is not allowed';
      return { path: pointer([...path, key]), code: 'prototype_key', message };
    }
    for (const [name, member] of Object.entries(at)) open.push({ value: member, path: [...path, name] });
  }
  return undefined;
}
