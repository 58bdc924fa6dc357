import { z } from 'zod';
import { contractChecks } from '../contract-checks.js';
import { defineTool, type ToolDefinition } from '../define-tool.js';
import type { ContractTestOptions, Counterpart } from '../eval-pack.js';
import type { RunContext, Tool } from '../tool.js';
import { ToolError } from '../tool-error.js';
import { ToolProbe } from '../tool-probe.js';

/** A ledger in memory: the counterpart of the tools in these specs. */
export class Ledger {
  readonly entries = new Map<string, number>();

  /** The name of an entry: entries of the good tool are separated by tenant. */
  static entryOf({ tenant_id }: RunContext, key: string): string {
    return `${tenant_id}/${key}`;
  }
}

const counterpartOf = (ledger: Ledger): Counterpart => ({
  prepare: async () => void ledger.entries.set('opening', 0),
  clean: async () => ledger.entries.clear(),
  snapshot: async () => [...ledger.entries].filter(([name]) => !name.startsWith('other/')),
});

const input = z.object({ amount: z.int().min(1).max(99) });
const output = z.object({ key: z.string(), amount: z.int() });
export type Definition = ToolDefinition<typeof input, typeof output>;

export const good = (ledger: Ledger): Definition => ({
  name: 'book_amount',
  version: '1.0.0',
  title: 'Book an amount',
  description: 'Books an amount in a ledger in memory, once a key.',
  category: 'spec',
  effect_class: 'commit_low',
  idempotency: { discriminating: ['amount'] },
  takes_key: true,
  input,
  output,
  run: async ({ amount }, ctx) => {
    if (ctx.signal.aborted) throw new ToolError('CANCELLED', 'aborted', { effect: 'none' });
    ledger.entries.set(Ledger.entryOf(ctx, ctx.idempotency_key), amount);
    return { key: ctx.idempotency_key, amount };
  },
  reconcile: async (_inputs, ctx) => {
    const amount = ledger.entries.get(Ledger.entryOf(ctx, ctx.idempotency_key));
    return amount === undefined ? { kind: 'did_not_happen' } : { kind: 'happened', output: { key: ctx.idempotency_key, amount } };
  },
  compensate: async ({ idempotency_key }, ctx) => ledger.entries.delete(Ledger.entryOf(ctx, idempotency_key)),
  verify: async (_inputs, { key }, ctx) =>
    ledger.entries.has(Ledger.entryOf(ctx, key)) ? { kind: 'verified' } : { kind: 'contradicted', why: 'it is not there' },
  sanity: [{ name: 'same_amount', severity: 'block', holds: (inputs, output) => inputs.amount === output.amount }],
});
export const read = (run: Definition['run']): Partial<Definition> => ({
  effect_class: 'read_internal',
  takes_key: false,
  reconcile: undefined,
  compensate: undefined,
  verify: undefined,
  run,
});
export const pure = (run: Definition['run']): Partial<Definition> => ({ ...read(run), effect_class: 'pure' });

const usual = (ledger: Ledger): ContractTestOptions => ({
  golden: [
    { title: 'one', input: { amount: 7 } },
    { title: 'another', input: { amount: 8 } },
  ],
  counterpart: counterpartOf(ledger),
  generated_runs: 5,
});

/** Titles of the checks that a tool fails. */
export async function failing(
  change: (ledger: Ledger) => Partial<Definition>,
  options: Partial<ContractTestOptions> = {},
  only = /./,
): Promise<string[]> {
  const ledger = new Ledger();
  const tool: Tool = defineTool({ ...good(ledger), ...change(ledger) });
  // Keeps getters, because the checks read them at the right time.
  const all = Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(usual(ledger)), ...Object.getOwnPropertyDescriptors(options) },
  );
  const probe = new ToolProbe(tool, all as ContractTestOptions);
  const titles: string[] = [];
  const checks = contractChecks(probe).filter(({ title }) => only.test(title));
  for (const check of checks) {
    await probe.newWorld();
    await check.run().catch(() => titles.push(check.title));
  }
  return titles;
}
