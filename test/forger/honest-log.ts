import { type Cut, nextCut, type RecordToCover } from '@countersign/proofs';
import type { Claim } from './history.js';
import type { Random } from './random.js';

const TREES = [
  'configuration-changed/0',
  'policy-decided/0',
  'tool-call-requested/0',
  'tool-call-requested/1',
  'tool-executed/0',
  'tool-executed.acme/3',
];

/** A record with these bytes. */
export function record(tree: string, offset: number, content: string): RecordToCover {
  const [topic, partition] = tree.split(/[/#]/) as [string, string];
  return {
    topic,
    partition: Number(partition),
    offset,
    timestamp_ms: 1_790_000_000_000 + offset,
    key: offset % 3 === 0 ? null : `key-${offset}`,
    headers: { event_type: 'tool_call_requested' },
    value: Buffer.from(`${content} ${offset}`),
  };
}

/** Some logs begin with an entry of an earlier release, which has no cut. Some entries are open. */
export function cutAfter(before: Claim | undefined, random: Random): Cut | undefined {
  if (!before && random.below(2) === 0) return undefined;
  return { number: nextCut(before?.cut), state: random.below(5) === 0 ? 'open' : 'closed' };
}

const numberOf = (name: string): number => Number(name.split('#')[1] ?? 1);

/** The newest generation of this tree, which grows. */
function newestOf(name: string, trees: Claim['trees']): string {
  const later = [...trees.keys()].filter((each) => each.startsWith(`${name}#`)).sort((a, b) => numberOf(b) - numberOf(a));
  return later[0] ?? name;
}

/** The records of a partition, each as in the newest tree that covers it. */
export function logOf(trees: Claim['trees']): Map<string, readonly RecordToCover[]> {
  const log = new Map<string, readonly RecordToCover[]>();
  for (const [name, records] of [...trees].sort(([a], [b]) => numberOf(a) - numberOf(b))) {
    const place = name.split('#')[0] as string;
    const kept = (log.get(place) ?? []).filter(({ offset }) => offset < (records[0]?.offset ?? Number.POSITIVE_INFINITY));
    log.set(place, [...kept, ...records]);
  }
  return log;
}

/** Adds entries to an honest log: trees are added one after the other and only grow. The content distinguishes two logs. */
export function grow(before: readonly Claim[], count: number, random: Random, content = 'honest'): Claim[] {
  const claims = [...before];
  for (let n = 0; n < count; n++) {
    const trees = new Map(claims.at(-1)?.trees);
    const generations = claims.at(-1)?.generations;
    const names = TREES.slice(0, claims.length + 2).map((name) => newestOf(name, trees));
    const growing = names.filter((name) => !trees.has(name) || random.below(2) === 0);
    for (const name of growing.length > 0 ? growing : [random.pick(names)]) {
      const known = trees.get(name) ?? [];
      // Occasionally more than one tile holds.
      const more = random.below(12) === 0 ? random.between(200, 600) : random.between(2, 9);
      const next = (known.at(-1)?.offset ?? (generations?.get(name)?.base_offset ?? 0) - 1) + 1;
      trees.set(name, [...known, ...Array.from({ length: more }, (_, at) => record(name, next + at, content))]);
    }
    const cut = cutAfter(claims.at(-1), random);
    const time_ms = 1_790_000_000_000 + claims.length * 1000;
    claims.push({ time_ms, trees, ...(cut ? { cut } : {}), ...(generations ? { generations } : {}) });
  }
  return claims;
}
