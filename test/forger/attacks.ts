import { EMPTY_ROOT, type RecordToCover } from '@countersign/proofs';
import { cutAttacks } from './cut-attacks.js';
import { generationAttacks } from './generations.js';
import { type Claim, treeOf } from './history.js';
import { grow, record } from './honest-log.js';
import type { Random } from './random.js';

/** The result of an attack on an honest log. */
export interface Attack {
  claims: readonly Claim[];
  /** The first dishonest entry. */
  at: number;
  /** Checkpoints that an observer must have seen to detect the lie. */
  seen_min: number;
  /** The forged record, if the lie is about one. */
  lie?: { tree: string; offset: number };
}

type Records = readonly RecordToCover[];
type Lie = (records: Records, offset: number) => Records;
type Forge = (claims: readonly Claim[], random: Random) => Promise<Attack> | Attack;

/** Forges one existing tree in the entries `from` to `until`. */
function lieAbout(claims: readonly Claim[], random: Random, lie: Lie, isOnce = false): Attack {
  const at = random.between(1, claims.length - (isOnce ? 2 : 1));
  const before = (claims[at - 1] as Claim).trees;
  const tree = random.pick([...before.keys()]);
  const offset = random.below((before.get(tree) as Records).length - 1);
  const forge = (claim: Claim) => ({ ...claim, trees: new Map(claim.trees).set(tree, lie(claim.trees.get(tree) as Records, offset)) });
  const isReported = (number: number) => (isOnce ? number === at : number >= at);
  return { at, seen_min: 0, lie: { tree, offset }, claims: claims.map((claim, number) => (isReported(number) ? forge(claim) : claim)) };
}

const moved = (each: RecordToCover, offset: number): RecordToCover => ({ ...each, offset });
const forged = ({ topic, partition, offset }: RecordToCover) => record(`${topic}/${partition}`, offset, 'forged');

const change: Lie = (records, offset) => records.map((each) => (each.offset === offset ? forged(each) : each));
const drop: Lie = (records, offset) => records.filter((each) => each.offset !== offset).map(moved);
const swap: Lie = (records, offset) => {
  const [one, other] = [records[offset] as RecordToCover, records[offset + 1] as RecordToCover];
  return records.map((each) => (each === one ? moved(other, offset) : each === other ? moved(one, offset + 1) : each));
};
const truncate: Lie = (records, offset) => records.slice(0, offset + 1);
const replaceTail: Lie = (records, offset) => records.map((each) => (each.offset > offset ? forged(each) : each));

/** Removes the tree from entry `at`; it reappears later with other records. */
function restart(claims: readonly Claim[], random: Random): Attack {
  const { at, lie } = lieAbout(claims, random, change);
  const { tree } = lie as NonNullable<Attack['lie']>;
  return {
    at,
    seen_min: 0,
    claims: claims.map((claim, number) => {
      const trees = new Map(claim.trees);
      if (number === at) trees.delete(tree);
      if (number > at) trees.set(tree, (claim.trees.get(tree) as Records).map(forged));
      return { ...claim, trees };
    }),
  };
}

/** Lists a tree twice, once with the forged record. The other heads do not change. */
async function twice(claims: readonly Claim[], random: Random): Promise<Attack> {
  const { at, lie, claims: lied } = lieAbout(claims, random, change, true);
  const { tree } = lie as NonNullable<Attack['lie']>;
  const records = lied[at]?.trees.get(tree) as Records;
  const [topic, partition] = tree.split('/') as [string, string];
  const head = { topic, partition: Number(partition), size: records.length, root: await treeOf(records).root };
  return { at, seen_min: 0, claims: claims.map((claim, number) => (number === at ? { ...claim, twice: head } : claim)) };
}

/** A new tree claims records before its first entry, or a root without records. */
async function startLate(claims: readonly Claim[], random: Random): Promise<Attack> {
  const at = random.between(1, claims.length - 1);
  const head = { topic: 'approval-events.late', partition: 0, size: 0, root: EMPTY_ROOT.map((byte) => byte ^ 1) as Buffer };
  return { at, seen_min: 0, claims: claims.map((claim, number) => (number >= at ? { ...claim, twice: head } : claim)) };
}

/** Every way to lie about audit trees. Each turns an honest log into one that is never an honest continuation of what observers saw. */
export const attacks: Readonly<Record<string, Forge>> = {
  change: (claims, random) => lieAbout(claims, random, change),
  drop: (claims, random) => lieAbout(claims, random, drop),
  swap: (claims, random) => lieAbout(claims, random, swap),
  truncate: (claims, random) => lieAbout(claims, random, truncate),
  'replace the tail': (claims, random) => lieAbout(claims, random, replaceTail),
  'skip an entry': (claims, random) => lieAbout(claims, random, change, true),
  'leave a tree out': (claims, random) => {
    const { at, lie } = lieAbout(claims, random, change);
    const without = ({ trees }: Claim) => new Map([...trees].filter(([name]) => name !== lie?.tree));
    return { at, seen_min: 0, claims: claims.map((claim, number) => (number >= at ? { ...claim, trees: without(claim) } : claim)) };
  },
  'start a tree again': restart,
  'a tree twice': twice,
  'a new tree with a past': startLate,
  'roll back': (claims, random) => {
    const at = random.between(1, claims.length - 1);
    return { at, seen_min: at + 1, claims: grow(claims.slice(0, at), random.between(0, 3), random, 'after the roll back') };
  },
  fork: (claims, random) => {
    const at = random.between(1, claims.length - 1);
    return { at, seen_min: at + 1, claims: grow(claims.slice(0, at), claims.length - at + random.between(0, 3), random, 'fork') };
  },
  're-sign': (claims, random) => {
    const at = claims.length - 1;
    return { at, seen_min: at + 1, claims: grow(claims.slice(0, at), 1, random, 'signed again') };
  },
  ...generationAttacks,
  ...cutAttacks,
};
