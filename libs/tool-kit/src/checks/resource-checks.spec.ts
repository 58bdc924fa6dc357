import { describe, expect, test } from 'vitest';
import type { ResourceStates } from '../eval-pack.js';
import { type Definition, failing, type Ledger } from '../testing/ledger-tool.js';

type Change = (ledger: Ledger) => Partial<Definition>;
type Effect = 'replaces' | 'adds';

/** Keeps only the last amount, as an overwritten file does. */
const overwriting: Change = (ledger) => ({
  takes_key: false,
  compensate: undefined,
  verify: undefined,
  reconcile: undefined,
  run: async ({ amount }, ctx) => {
    ledger.entries.set('balance', amount);
    return { key: ctx.idempotency_key, amount };
  },
});
/** Keeps an entry for each key. */
const adding: Change = () => ({});
const acting = (change: Change, effect: Effect): Change => {
  return (ledger) => ({
    ...change(ledger),
    resources: [
      { name: 'ledger:{/amount}', effect },
      { name: 'book:main', effect },
    ],
  });
};
const states: ResourceStates[] = [{ title: 'two amounts', a: { amount: 2 }, b: { amount: 3 } }];
const pair = /^resources: two amounts/;

describe('attempts', () => {
  test('detects a reconcile that looks only at the state, whoever caused it', async () => {
    const forgetful: Change = (ledger) => ({
      reconcile: async () => {
        const [name, amount] = [...ledger.entries].find(([each]) => each !== 'opening') ?? [];
        const key = name?.slice(name.indexOf('/') + 1);
        return key === undefined || amount === undefined ? { kind: 'did_not_happen' } : { kind: 'happened', output: { key, amount } };
      },
    });
    expect(await failing(forgetful, {}, /^(attempts: )?reconcile/)).toEqual([
      'attempts: reconcile answers for its own attempt, never for an earlier one',
    ]);
  });

  test('detects a tool that recognizes an effect by its inputs and not by its key', async () => {
    const byInputs: Change = (ledger) => ({
      run: async ({ amount }, ctx) => {
        ledger.entries.set(`amount-${amount}`, amount);
        return { key: ctx.idempotency_key, amount };
      },
    });
    expect(await failing(byInputs, {}, /^attempts: a second/)).toEqual([
      'attempts: a second attempt is a separate effect with its own key',
    ]);
  });
});

describe('resources', () => {
  test.each<[string, Change, Effect]>([
    ['replaces', overwriting, 'replaces'],
    ['adds', adding, 'adds'],
  ])('a tool that says rightly that it %s passes', async (_title, change, effect) => {
    expect(await failing(acting(change, effect), { states })).toEqual([]);
  });

  test.each<[string, Change, Effect]>([
    ['overwrites and says that it adds', overwriting, 'adds'],
    ['adds and says that it replaces', adding, 'replaces'],
  ])('a tool that %s is found', async (_title, change, effect) => {
    expect(await failing(acting(change, effect), { states }, pair)).toHaveLength(1);
  });

  test('detects a tool that declares that it replaces and whose read-back does not see its own effect', async () => {
    const blind: Change = (ledger) => ({
      ...overwriting(ledger),
      verify: async () => ({ kind: 'cannot_tell', why: 'the book is closed' }),
    });
    expect(await failing(acting(blind, 'replaces'), { states }, pair)).toHaveLength(1);
    const seeing: Change = (ledger) => ({
      ...overwriting(ledger),
      verify: async (_input, { amount }) =>
        ledger.entries.get('balance') === amount ? { kind: 'verified' } : { kind: 'contradicted', why: 'the balance is another' },
    });
    expect(await failing(acting(seeing, 'replaces'), { states }, pair)).toEqual([]);
  });

  test('detects a tool that does nothing if its first attempt has acted', async () => {
    const once: Change = (ledger) => {
      const seen = new Set<number>();
      return {
        ...overwriting(ledger),
        run: async ({ amount }, ctx) => {
          if (!seen.has(amount)) ledger.entries.set('balance', amount);
          seen.add(amount);
          return { key: ctx.idempotency_key, amount };
        },
      };
    };
    expect(await failing(acting(once, 'replaces'), { states }, pair)).toHaveLength(1);
  });

  test('detects a tool whose compensate undoes another attempt than its own', async () => {
    const undoing: Change = (ledger) => {
      const before = new Map<string, number | undefined>();
      return {
        ...overwriting(ledger),
        run: async ({ amount }, ctx) => {
          if (!before.has('balance')) before.set('balance', ledger.entries.get('balance'));
          ledger.entries.set('balance', amount);
          return { key: ctx.idempotency_key, amount };
        },
        compensate: async () => {
          const was = before.get('balance');
          return was === undefined ? ledger.entries.delete('balance') : ledger.entries.set('balance', was);
        },
      };
    };
    expect(await failing(acting(undoing, 'replaces'), { states }, pair)).toHaveLength(1);
  });

  test('a change at the counterpart may represent another write on the same resource', async () => {
    let ledger: Ledger | undefined;
    const change: Change = (at) => {
      ledger = at;
      return acting(overwriting, 'replaces')(at);
    };
    const b = async () => void ledger?.entries.set('balance', 9);
    expect(await failing(change, { states: [{ title: 'two amounts', a: { amount: 2 }, b }] })).toEqual([]);
  });

  const covers = 'resources: the eval pack has two states for each declared effect';
  test.each<[string, ResourceStates[] | undefined]>([
    ['none', undefined],
    ['only a pair of the other effect', states],
  ])('an eval pack with %s is not enough', async (_title, given) => {
    const both: Change = (ledger) => ({
      ...adding(ledger),
      resources: [
        { name: 'book:main', effect: 'adds' },
        { name: 'ledger:{/amount}/total', effect: 'replaces' },
      ],
    });
    const [title] = await failing(both, given ? { states: given } : {}, /^resources: the eval/);
    expect(title).toBe(covers);
  });

  test('two writes without a common resource show nothing', async () => {
    const apart: Change = (ledger) => ({ ...overwriting(ledger), resources: [{ name: 'ledger:{/amount}', effect: 'replaces' }] });
    expect(await failing(apart, { states }, /^resources/)).toHaveLength(2);
  });
});
