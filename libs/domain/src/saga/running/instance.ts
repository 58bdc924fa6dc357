/** The name and map indices of an instance of a block: `ship[2][0]` is `ship` in item 0 of the inner map, in item 2 of the outer one. */
export interface Instance {
  name: string;
  indices: readonly number[];
}

const INDEX = /\[(\d+)\]/g;

/** Reads an instance id as `instanceId` writes it. */
export function instanceOf(id: string): Instance {
  const open = id.indexOf('[');
  if (open < 0) return { name: id, indices: [] };
  return { name: id.slice(0, open), indices: [...id.slice(open).matchAll(INDEX)].map((match) => Number(match[1])) };
}

/** `name[2][0]`: the name and the index in each enclosing map. */
export const instanceId = (name: string, indices: readonly number[]): string => `${name}${indices.map((at) => `[${at}]`).join('')}`;
