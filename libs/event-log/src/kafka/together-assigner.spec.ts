import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AssignerMember, assignTogether } from './together-assigner.js';

const topics = ['requested', 'decided', 'executed'];
const owned = fc.uniqueArray(fc.nat(15), { maxLength: 8 });
const group = fc
  .uniqueArray(fc.tuple(fc.uuid(), owned), { minLength: 1, maxLength: 6, selector: ([id]) => id })
  .map((members): AssignerMember[] => members.map(([id, held]) => ({ id, topics, owned: held })));
const counts = fc.integer({ min: 1, max: 12 });
const sameCounts = (count: number) => new Map(topics.map((topic) => [topic, count]));
const numbersOf = (share: Record<string, number[]> | undefined) => [...new Set(Object.values(share ?? {}).flat())].sort((a, b) => a - b);

/** The members as they would join the next rebalance. */
function after(members: readonly AssignerMember[], assigned: Map<string, Record<string, number[]>>): AssignerMember[] {
  return members.map((member) => ({ ...member, owned: numbersOf(assigned.get(member.id)) }));
}

describe('the assigner that keeps partition n of all topics together', () => {
  test('every partition of every topic goes to exactly one member', () => {
    fc.assert(
      fc.property(group, counts, counts, (members, calls, globals) => {
        const partitions = new Map([...sameCounts(calls), ['configuration', globals]]);
        const assigned = assignTogether(
          members.map((member) => ({ ...member, topics: [...topics, 'configuration'] })),
          partitions,
        );
        for (const [topic, count] of partitions) {
          const given = [...assigned.values()].flatMap((share) => share[topic] ?? []).sort((a, b) => a - b);
          expect(given).toEqual(Array.from({ length: count }, (_, number) => number));
        }
      }),
    );
  });

  test('partition n of all topics goes to one member', () => {
    fc.assert(
      fc.property(group, counts, (members, count) => {
        for (const share of assignTogether(members, sameCounts(count)).values())
          for (const topic of topics) expect(share[topic] ?? []).toEqual(numbersOf(share));
      }),
    );
  });

  test('members differ by at most one number', () => {
    fc.assert(
      fc.property(group, counts, (members, count) => {
        const sizes = [...assignTogether(members, sameCounts(count)).values()].map((share) => numbersOf(share).length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('nothing moves while the members stay, whatever their order', () => {
    fc.assert(
      fc.property(group, counts, (members, count) => {
        const first = assignTogether(members, sameCounts(count));
        const again = assignTogether(after(members, first).reverse(), sameCounts(count));
        for (const { id } of members) expect(again.get(id)).toEqual(first.get(id));
      }),
    );
  });

  test('a remaining member keeps its partitions, as far as that is fair, when another leaves', () => {
    fc.assert(
      fc.property(group, counts, (members, count) => {
        const settled = after(members, assignTogether(members, sameCounts(count)));
        const left = settled.slice(1);
        if (left.length === 0) return;
        const assigned = assignTogether(left, sameCounts(count));
        for (const { id, owned: held } of left) expect(numbersOf(assigned.get(id))).toEqual(expect.arrayContaining([...held]));
      }),
    );
  });

  test('a new member gets only its fair share', () => {
    fc.assert(
      fc.property(group, counts, (members, count) => {
        const settled = after(members, assignTogether(members, sameCounts(count)));
        const joined = assignTogether([...settled, { id: 'newcomer', topics, owned: [] }], sameCounts(count));
        const taken = numbersOf(joined.get('newcomer'));
        const moved = settled.flatMap(({ id, owned: held }) => held.filter((number) => !numbersOf(joined.get(id)).includes(number)));
        expect(moved.sort((a, b) => a - b)).toEqual(taken);
      }),
    );
  });

  test('a topic that only some members subscribe to is assigned to those', () => {
    const members = [
      { id: 'a', topics: ['requested', 'requested.vip'], owned: [] },
      { id: 'b', topics: ['requested'], owned: [] },
    ];
    const assigned = assignTogether(
      members,
      new Map([
        ['requested', 4],
        ['requested.vip', 2],
      ]),
    );
    expect(assigned.get('a')?.['requested.vip']).toEqual([0, 1]);
    expect(assigned.get('b')?.['requested.vip']).toBeUndefined();
  });
});
