import { EventCodec, firstMeta } from '@countersign/contracts';
import { type Cut, DECISIONS, type Generation, headName, nextCut, type RecordToCover } from '@countersign/proofs';
import type { Attack } from './attacks.js';
import { type Claim, treeOf } from './history.js';
import { record } from './honest-log.js';
import type { Random } from './random.js';

const SETTINGS = headName(DECISIONS);
const codec = new EventCodec();
type Records = readonly RecordToCover[];

/** What a decision allows to open: the next generation of a tree in the last claim. */
interface Terms {
  decision: string;
  /** The name of the frozen tree. */
  frozen: string;
  opened: string;
  generation: Generation;
}

const uuid = (random: Random) => `019b0000-0000-7000-8000-${String(random.below(1_000_000)).padStart(12, '0')}`;
const endOf = (records: Records) => (records.at(-1)?.offset ?? -1) + 1;
const numberOf = (name: string) => Number(name.split('#')[1] ?? 1);

/** Chooses a growing tree other than that of the settings, and its next generation. */
function termsIn(trees: Claim['trees'], random: Random): Terms {
  const names = [...trees.keys()].filter((name) => name !== SETTINGS);
  const place = (name: string) => name.split('#')[0] as string;
  const newest = names.filter((name) => !names.some((other) => place(other) === place(name) && numberOf(other) > numberOf(name)));
  const frozen = random.pick(newest);
  const records = trees.get(frozen) as Records;
  const [number, decision] = [numberOf(frozen) + 1, uuid(random)];
  const base_offset = random.between(records[0]?.offset ?? 0, endOf(records));
  return { decision, frozen, opened: `${place(frozen)}#${number}`, generation: { number, base_offset, decision } };
}

/** The `damage_accepted` event for these terms, as a record at the end of the settings. */
async function decisionOf(trees: Claim['trees'], terms: Terms, base_offset = terms.generation.base_offset): Promise<RecordToCover> {
  const [topic, partition] = terms.opened.split(/[/#]/) as [string, string];
  const records = trees.get(terms.frozen) as Records;
  const root = await treeOf(records).root;
  const opened = {
    ...{ topic, partition: Number(partition), generation: terms.generation.number, base_offset },
    ...{ frozen_size: records.length, frozen_root: root.toString('base64') },
  };
  const meta = { ...firstMeta('default', 1_790_000_000_000), event_id: terms.decision };
  const value = codec.encode('damage_accepted', {
    meta,
    damage_ids: [terms.decision],
    reason: 'no backup',
    by: { kind: 'user', id: 'olga', roles: ['operator'] },
    accepted_at_ms: 1_790_000_000_000,
    opened: [opened],
  });
  const settings = trees.get(SETTINGS) as Records;
  return { ...record(SETTINGS, settings.length, 'decision'), headers: { event_type: 'damage_accepted' }, value };
}

const tail = (name: string, first: number, count: number) => Array.from({ length: count }, (_, n) => record(name, first + n, 'after'));

/** The next claim: these records are added to the settings, and some trees change. */
function nextClaim(
  claims: readonly Claim[],
  settings: Records,
  changed: ReadonlyMap<string, Records>,
  generations: Claim['generations'],
): Claim {
  const last = claims.at(-1) as Claim;
  const trees = new Map([...last.trees, ...changed]);
  if (settings.length > 0) trees.set(SETTINGS, [...(last.trees.get(SETTINGS) as Records), ...settings]);
  const cut: Cut = { number: nextCut(last.cut), state: 'closed' };
  return { time_ms: last.time_ms + 1000, cut, trees, ...(generations ? { generations } : {}) };
}

const known = (claims: readonly Claim[], { opened, generation }: Terms) =>
  new Map(claims.at(-1)?.generations ?? []).set(opened, generation);

/** Continues the log correctly after damage: the decision and the generation that it allows are in one entry. */
export async function openGeneration(claims: readonly Claim[], random: Random): Promise<Claim[]> {
  const { trees } = claims.at(-1) as Claim;
  const terms = termsIn(trees, random);
  const decision = await decisionOf(trees, terms);
  const opened = new Map([[terms.opened, tail(terms.opened, terms.generation.base_offset, random.between(0, 9))]]);
  return [...claims, { ...nextClaim(claims, [decision], opened, known(claims, terms)), decisions: [decision] }];
}

const forgedFrom = (honest: readonly Claim[], more: readonly Claim[]): Attack => ({
  at: honest.length,
  seen_min: 0,
  claims: [...honest, ...more],
});

/** Opens a generation with these terms, whatever the decision allows; `shown`: the decision that is presented. */
async function openForged(
  claims: readonly Claim[],
  random: Random,
  forge: (terms: Terms, trees: Claim['trees']) => Promise<{ terms: Terms; settings: Records; shown: Records }>,
): Promise<Attack> {
  const before = claims.slice(0, random.between(1, claims.length));
  const { trees } = before.at(-1) as Claim;
  const { terms, settings, shown } = await forge(termsIn(trees, random), trees);
  const opened = new Map([[terms.opened, tail(terms.opened, terms.generation.base_offset, random.between(1, 9))]]);
  return forgedFrom(before, [{ ...nextClaim(before, settings, opened, known(before, terms)), decisions: shown }]);
}

type Forge = (claims: readonly Claim[], random: Random) => Promise<Attack>;

/** Ways to present a rewritten tree as one that an operator continued. */
export const generationAttacks: Readonly<Record<string, Forge>> = {
  'open a generation without a decision': (claims, random) =>
    openForged(claims, random, async (terms, trees) => {
      const isMadeUp = random.below(2) === 0;
      const settings = tail(SETTINGS, (trees.get(SETTINGS) as Records).length, 2);
      return { terms, settings, shown: isMadeUp ? [await decisionOf(trees, terms)] : [] };
    }),
  'open a generation with a base that hides records': (claims, random) =>
    openForged(claims, random, async (terms, trees) => {
      const end = endOf(trees.get(terms.frozen) as Records);
      const { base_offset } = terms.generation;
      // Below the abandoned records, after the covered ones, or the latter with a decision that allows it.
      const kind = random.below(3);
      const base = kind === 0 && base_offset > 0 ? random.below(base_offset) : end + random.between(1, 5);
      const decision = await decisionOf(trees, terms, kind === 2 ? base : base_offset);
      return { terms: { ...terms, generation: { ...terms.generation, base_offset: base } }, settings: [decision], shown: [decision] };
    }),
  'open a generation by a decision of before': async (claims, random) => {
    const before = claims.slice(0, random.between(1, claims.length));
    const { trees } = before.at(-1) as Claim;
    const terms = termsIn(trees, random);
    const decision = await decisionOf(trees, terms);
    const decided = [...before, nextClaim(before, [decision], new Map(), before.at(-1)?.generations)];
    const opened = new Map([[terms.opened, tail(terms.opened, terms.generation.base_offset, 3)]]);
    const more = tail(SETTINGS, decision.offset + 1, 1);
    return forgedFrom(before, [
      decided.at(-1) as Claim,
      { ...nextClaim(decided, more, opened, known(decided, terms)), decisions: [decision] },
    ]);
  },
  'continue the frozen tree': async (claims, random) => {
    const before = claims.slice(0, random.between(1, claims.length));
    const opened = await openGeneration(before, random);
    const { trees, generations } = opened.at(-1) as Claim;
    const name = [...trees.keys()].find((each) => trees.has(`${each.split('#')[0]}#${numberOf(each) + 1}`)) as string;
    const records = trees.get(name) as Records;
    const grown = new Map([[name, [...records, ...tail(name, endOf(records), random.between(1, 5))]]]);
    return forgedFrom(before, [
      opened.at(-1) as Claim,
      nextClaim(opened, tail(SETTINGS, (trees.get(SETTINGS) as Records).length, 1), grown, generations),
    ]);
  },
};
