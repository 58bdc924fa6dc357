import { describe, expect, test } from 'vitest';
import type { ResourceStates } from '../eval-pack.js';
import { type Definition, failing, type Ledger } from '../testing/ledger-tool.js';
import { ToolError } from '../tool-error.js';

type Undo = NonNullable<Definition['compensate']>;

const states: ResourceStates[] = [{ title: 'two amounts', a: { amount: 2 }, b: { amount: 3 } }];
const changed = (effect: 'none' | 'unknown') =>
  new ToolError('VALIDATION_ERROR', 'it was changed since', { effect, class: 'semantic', details: { reason: 'changed_since' } });

/** Keeps only the last amount. */
const setting = (undo: (ledger: Ledger, before: Map<string, number>) => Undo) => (ledger: Ledger) => {
  const before = new Map<string, number>();
  return {
    takes_key: false,
    verify: undefined,
    reconcile: undefined,
    run: async ({ amount }: { amount: number }, ctx: { idempotency_key: string }) => {
      before.set(ctx.idempotency_key, ledger.entries.get('opening') ?? 0);
      ledger.entries.set('opening', amount);
      return { key: ctx.idempotency_key, amount };
    },
    compensate: undo(ledger, before),
  } satisfies Partial<Definition>;
};
const restore = (ledger: Ledger, before: Map<string, number>, key: string) => ledger.entries.set('opening', before.get(key) ?? 0);
const failed = (undo: (ledger: Ledger, before: Map<string, number>) => Undo) => failing(setting(undo), { states }, /^undo: /);
const found = ['undo: two amounts: keeps later changes'];

describe('A, B, undo A', () => {
  test('a compensate that refuses if the state differs from what its run left keeps later changes', async () => {
    const refuses =
      (ledger: Ledger, before: Map<string, number>): Undo =>
      async ({ idempotency_key, output }) => {
        if (ledger.entries.get('opening') !== output.amount) throw changed('none');
        return restore(ledger, before, idempotency_key);
      };
    expect(await failed(refuses)).toEqual([]);
  });

  test('detects a compensate that restores the state before its run and so loses later changes', async () => {
    expect(
      await failed(
        (ledger, before) =>
          async ({ idempotency_key }) =>
            restore(ledger, before, idempotency_key),
      ),
    ).toEqual(found);
  });

  test('detects a refusal that does not promise that nothing happened, or that changed something', async () => {
    expect(await failed(() => async () => Promise.reject(changed('unknown')))).toEqual(found);
    const both =
      (ledger: Ledger, before: Map<string, number>): Undo =>
      async ({ idempotency_key }) => {
        restore(ledger, before, idempotency_key);
        throw changed('none');
      };
    expect(await failed(both)).toEqual(found);
  });

  test('detects a compensate that uses the key of its own call instead of that of the effect and so undoes nothing', async () => {
    const own =
      (ledger: Ledger): Undo =>
      async (_effect, ctx) =>
        ledger.entries.delete(`${ctx.tenant_id}/${ctx.idempotency_key}`);
    const titles = await failing((ledger) => ({ compensate: own(ledger) }), {}, /^compensate/);
    expect(titles).toEqual(['compensate: undoes the effect of a run, and a second undo does no harm']);
  });
});
