import type { CelType } from '@bufbuild/cel';

/** A static type. `dyn` is any value. A record has named fields; further fields are allowed only if it is open. */
export type StaticType =
  | { kind: 'dyn' }
  | { kind: 'scalar'; name: string }
  | { kind: 'list'; element: StaticType }
  | { kind: 'map'; value: StaticType }
  | { kind: 'record'; name: string; fields: ReadonlyMap<string, StaticType>; open: boolean };

export const DYN: StaticType = { kind: 'dyn' };
export const scalar = (name: string): StaticType => ({ kind: 'scalar', name });
export const BOOL = scalar('bool');
export const INT = scalar('int');
export const DOUBLE = scalar('double');
export const STRING = scalar('string');
export const TIMESTAMP = scalar('google.protobuf.Timestamp');
export const listOf = (element: StaticType): StaticType => ({ kind: 'list', element });
export const mapOf = (value: StaticType): StaticType => ({ kind: 'map', value });

export function record(name: string, fields: Record<string, StaticType>, open = false): StaticType {
  return { kind: 'record', name, fields: new Map(Object.entries(fields)), open };
}

export function isDyn(type: StaticType): boolean {
  return type.kind === 'dyn' || (type.kind === 'scalar' && type.name === 'dyn');
}

export function isBool(type: StaticType): boolean {
  return isDyn(type) || (type.kind === 'scalar' && type.name === 'bool');
}

export function ofCelType(type: CelType): StaticType {
  if (type.kind === 'list') return listOf(ofCelType(type.element));
  if (type.kind === 'map') return mapOf(ofCelType(type.value));
  if (type.kind === 'scalar' && type.scalar === 'dyn') return DYN;
  return scalar(type.name);
}

/** True if a value of this type may be passed for a declared parameter. */
export function fits(given: StaticType, wanted: CelType): boolean {
  if (isDyn(given) || (wanted.kind === 'scalar' && wanted.scalar === 'dyn')) return true;
  if (given.kind === 'scalar') return (wanted.kind === 'scalar' || wanted.kind === 'object') && wanted.name === given.name;
  return given.kind === 'list' ? wanted.kind === 'list' : wanted.kind === 'map';
}

const NUMBERS: readonly string[] = ['int', 'uint', 'double'];

/** True if values of two types can be equal. */
export function comparable(a: StaticType, b: StaticType): boolean {
  if (isDyn(a) || isDyn(b)) return true;
  if (a.kind !== 'scalar' || b.kind !== 'scalar')
    return isMapLike(a) ? isMapLike(b) || isNull(b) : a.kind === b.kind || isNull(a) || isNull(b);
  return a.name === b.name || isNull(a) || isNull(b) || (NUMBERS.includes(a.name) && NUMBERS.includes(b.name));
}

const isMapLike = (type: StaticType): boolean => type.kind === 'map' || type.kind === 'record';
const isNull = (type: StaticType): boolean => type.kind === 'scalar' && type.name === 'null_type';

export function nameOf(type: StaticType): string {
  switch (type.kind) {
    case 'dyn':
      return 'dyn';
    case 'scalar':
      return type.name;
    case 'list':
      return `list(${nameOf(type.element)})`;
    case 'map':
      return `map(string, ${nameOf(type.value)})`;
    case 'record':
      return type.name;
  }
}
