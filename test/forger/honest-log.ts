import type { RecordToCover } from '@countersign/proofs';
import type { Claim } from './history.js';
import type { Random } from './random.js';

const TREES = ['policy-decided/0', 'tool-call-requested/0', 'tool-call-requested/1', 'tool-executed/0', 'tool-executed.acme/3'];

/** A record whose bytes are said to be these. */
export function record(tree: string, offset: number, said: string): RecordToCover {
  const [topic, partition] = tree.split('/') as [string, string];
  return {
    topic,
    partition: Number(partition),
    offset,
    timestamp_ms: 1_790_000_000_000 + offset,
    key: offset % 3 === 0 ? null : `key-${offset}`,
    headers: { event_type: 'tool_call_requested' },
    value: Buffer.from(`${said} ${offset}`),
  };
}

/** Some entries more of an honest log: trees come in one after the other and only grow. What is said tells two logs apart. */
export function grow(before: readonly Claim[], count: number, random: Random, said = 'honest'): Claim[] {
  const claims = [...before];
  for (let n = 0; n < count; n++) {
    const trees = new Map(claims.at(-1)?.trees);
    const names = TREES.slice(0, claims.length + 2);
    const growing = names.filter((name) => !trees.has(name) || random.below(2) === 0);
    for (const name of growing.length > 0 ? growing : [random.pick(names)]) {
      const known = trees.get(name) ?? [];
      // Now and then more than a tile holds.
      const more = random.below(12) === 0 ? random.between(200, 600) : random.between(2, 9);
      trees.set(name, [...known, ...Array.from({ length: more }, (_, at) => record(name, known.length + at, said))]);
    }
    claims.push({ time_ms: 1_790_000_000_000 + claims.length * 1000, trees });
  }
  return claims;
}
