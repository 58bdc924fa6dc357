/** Element types whose arrays are sent in PostgreSQL's binary format, with their type OIDs. */
const oids = { bool: 16, bytea: 17, int8: 20, int2: 21, int4: 23, text: 25, uuid: 2950 } as const;

export type ArrayType = keyof typeof oids;

export const oidOf = (type: ArrayType): number => oids[type];

const CASTS = /\$(\d+)::([a-z0-9]+)\[\]/g;
const TEXTS_MAX = 1_000;
const known = new Map<string, readonly (ArrayType | undefined)[]>();

/** The types to which a statement's text casts its array parameters (`$2::uuid[]`), indexed by parameter position from 0. */
export function arrayTypes(text: string): readonly (ArrayType | undefined)[] {
  const found = known.get(text);
  if (found) return found;
  const types: (ArrayType | undefined)[] = [];
  for (const [, at, type] of text.matchAll(CASTS)) if (type && type in oids) types[Number(at) - 1] = type as ArrayType;
  if (known.size < TEXTS_MAX) known.set(text, types);
  return types;
}
