import { type CelInput, isCelList, isCelMap, isCelUint } from '@bufbuild/cel';

/** A CEL value as JSON; undefined if it has no JSON form (times, types). */
export function jsonOf(value: CelInput): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (isCelUint(value)) return Number(value.value);
  if (isCelList(value)) return [...value].map(jsonOf);
  if (isCelMap(value)) return Object.fromEntries([...value.entries()].map(([key, item]) => [String(key), jsonOf(item)]));
  return typeof value === 'object' && value !== null ? undefined : value;
}
