import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contractChecks } from './contract-checks.js';
import { defineTool } from './define-tool.js';
import { type Definition, failing, good, Ledger, pure, read } from './testing/ledger-tool.js';
import { ToolError } from './tool-error.js';
import { ToolProbe } from './tool-probe.js';

/** A host that can be reached. */
class Listener {
  private readonly server = createServer((_request, response) => void response.end());

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const listener = new Listener();
beforeAll(() => listener.open());
afterAll(() => listener.close());

test('a good tool passes all fifteen checks', async () => {
  const probe = new ToolProbe(defineTool(good(new Ledger())), { golden: [{ title: 'one', input: { amount: 7 } }] });
  expect(contractChecks(probe)).toHaveLength(15);
  expect(await failing(() => ({}))).toEqual([]);
});

describe('the kit detects a tool', () => {
  const wrong = { key: 'k', amount: 'seven' } as never;
  test.each<[string, (ledger: Ledger) => Partial<Definition>, RegExp]>([
    ['whose output is not of its schema', () => ({ run: async () => wrong }), /golden: one/],
    [
      'that throws something else than a ToolError',
      () => ({
        run: async () => {
          throw new TypeError('oops');
        },
      }),
      /every generated input/,
    ],
    [
      'whose effects another tenant can ask for by their key',
      (ledger) => ({
        run: async ({ amount }, ctx) => {
          ledger.entries.set(ctx.idempotency_key, amount);
          return { key: ctx.idempotency_key, amount };
        },
        reconcile: async (_input, ctx) => {
          const amount = ledger.entries.get(ctx.idempotency_key);
          return amount === undefined ? { kind: 'did_not_happen' } : { kind: 'happened', output: { key: ctx.idempotency_key, amount } };
        },
      }),
      /a run of another tenant has the same result[\s\S]*run, reconcile, verify and undo of another tenant/,
    ],
    [
      'whose effects another tenant can undo',
      (ledger) => ({ compensate: async ({ output: { key } }) => ledger.entries.delete(`test/${key}`) }),
      /run, reconcile, verify and undo of another tenant change nothing/,
    ],
    [
      'that shows another tenant what this one did',
      (ledger) => read(async ({ amount }, ctx) => ({ key: 'k', amount: amount + (ctx.tenant_id === 'other' ? ledger.entries.size : 0) })),
      /a run of another tenant has the same result/,
    ],
    [
      'that promises no effect and had one',
      (ledger) => ({
        run: async ({ amount }, ctx) => {
          ledger.entries.set(ctx.idempotency_key, amount);
          throw new ToolError('PROVIDER_ERROR', 'failed', { effect: 'none' });
        },
      }),
      /promises no effect/,
    ],
    [
      'that says it reads and writes',
      (ledger) =>
        read(async ({ amount }, ctx) => {
          ledger.entries.set(ctx.idempotency_key, amount);
          return { key: ctx.idempotency_key, amount };
        }),
      /read-only/,
    ],
    [
      'whose reconcile believes that everything happened',
      () => ({ reconcile: async () => ({ kind: 'happened', output: { key: '', amount: 1 } }) }),
      /never ran/,
    ],
    ['whose reconcile finds nothing', () => ({ reconcile: async () => ({ kind: 'did_not_happen' }) }), /reports the effect of a run/],
    [
      'whose reconcile does it again',
      (ledger) => ({
        reconcile: async (_input, ctx) => {
          ledger.entries.set(`${ctx.idempotency_key}-again`, 1);
          return { kind: 'cannot_tell', why: 'no idea' };
        },
      }),
      /and changes nothing/,
    ],
    [
      'that takes a key and does it twice',
      (ledger) => ({
        run: async ({ amount }, ctx) => {
          ledger.entries.set(`${ctx.idempotency_key}-${ledger.entries.size}`, amount);
          return { key: ctx.idempotency_key, amount };
        },
      }),
      /two requests with one key/,
    ],
    ['whose undo undoes nothing', () => ({ compensate: async () => true }), /compensate/],
    ['whose read-back believes its own word', () => ({ verify: async () => ({ kind: 'verified' }) }), /verify/],
    ['whose read-back finds nothing', () => ({ verify: async () => ({ kind: 'cannot_tell', why: 'no idea' }) }), /verify/],
    [
      'whose read-back repairs what it did not find',
      (ledger) => ({
        verify: async (_input, { key }) => {
          ledger.entries.set(`${key}-seen`, 1);
          return { kind: 'verified' };
        },
      }),
      /and changes nothing/,
    ],
    ['whose predicate does not hold', () => ({ sanity: [{ name: 'never', severity: 'warn', holds: () => false }] }), /golden: one/],
    ['that is pure and draws a number', () => pure(async ({ amount }) => ({ key: String(Math.random()), amount })), /same bytes/],
    ['that is pure and reads the clock', () => pure(async ({ amount }) => ({ key: new Date().toDateString(), amount })), /same bytes/],
    ['that is pure and looks at its caller', () => pure(async ({ amount }, ctx) => ({ key: ctx.tenant_id, amount })), /same bytes/],
    [
      'that counts its runs',
      () => {
        const seen: number[] = [];
        return read(async ({ amount }) => ({ key: String(seen.push(amount)), amount }));
      },
      /a new world gives the same results as the first/,
    ],
    [
      'that remembers in memory which keys it has served',
      (ledger) => {
        const served = new Map<string, number>();
        return {
          run: async ({ amount }, ctx) => {
            if (!served.has(ctx.idempotency_key)) ledger.entries.set(ctx.idempotency_key, amount);
            served.set(ctx.idempotency_key, amount);
            return { key: ctx.idempotency_key, amount };
          },
        };
      },
      /a new world gives the same results as the first/,
    ],
    [
      'that answers from a memory of its own',
      (ledger) => {
        const known = new Map<number, string>();
        return read(async ({ amount }) => {
          const key = known.get(amount) ?? JSON.stringify([...ledger.entries]);
          known.set(amount, key);
          return { key, amount };
        });
      },
      /not served from memory/,
    ],
    [
      'that hangs where it is aborted before it begins',
      () => ({ run: async (_input, ctx) => (ctx.signal.aborted ? new Promise(() => undefined) : { key: ctx.idempotency_key, amount: 1 }) }),
      /aborted before it begins/,
    ],
    [
      'that acts although it was aborted, and says that it did not',
      (ledger) => ({
        run: async ({ amount }, ctx) => {
          ledger.entries.set(ctx.idempotency_key, amount);
          if (ctx.signal.aborted) throw new ToolError('CANCELLED', 'nothing was done', { effect: 'none' });
          return { key: ctx.idempotency_key, amount };
        },
      }),
      /aborted before it begins/,
    ],
    [
      'that calls home',
      () =>
        read(async ({ amount }) => {
          await fetch(listener.url);
          return { key: '', amount };
        }),
      /connects only to hosts/,
    ],
  ])('%s', async (_title, change, title) => {
    expect((await failing(change)).join('\n')).toMatch(title);
  });

  test('that ignores its signal', async () => {
    const deaf = () => read(async ({ amount }) => new Promise((resolve) => setTimeout(() => resolve({ key: '', amount }), 400)));
    expect(await failing(deaf, { slow: { amount: 1 } }, /abort ends|deadline/)).toEqual([
      'an abort ends the run with a ToolError',
      'the deadline ends the run with a ToolError',
    ]);
  });

  test('whose slow input ends before it is stopped', async () => {
    const quick = () => read(async () => Promise.reject(new ToolError('PROVIDER_ERROR', 'no such host', { effect: 'none' })));
    expect(await failing(quick, { slow: { amount: 1 } }, /abort ends|deadline/)).toEqual([
      'an abort ends the run with a ToolError',
      'the deadline ends the run with a ToolError',
    ]);
  });

  test('whose slow or large input is invalid', async () => {
    const sleeper = () =>
      read(
        (_input, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new ToolError('CANCELLED', 'aborted', { effect: 'none' })));
          }),
      );
    const stops = { slow: { amount: 1 }, large: { amount: 100 } };
    expect(await failing(sleeper, stops, /abort ends|deadline|larger/)).toEqual([
      'an answer larger than max_output_bytes is cut or refused',
    ]);
    expect(await failing(sleeper, { slow: { amount: 100 } }, /abort ends|deadline/)).toHaveLength(2);
  });

  test('whose slow input is known only once its world was prepared', async () => {
    let amount = 1;
    const seen: number[] = [];
    const deaf = () =>
      read(async (input) => {
        seen.push(input.amount);
        return new Promise((resolve) => setTimeout(() => resolve({ key: '', ...input }), 200));
      });
    const prepare = async () => {
      amount = 2;
    };
    const counterpart = { prepare, snapshot: async () => 'none' };
    const options = {
      counterpart,
      get slow() {
        return { amount };
      },
    };
    expect(await failing(deaf, options, /abort ends/)).toEqual(['an abort ends the run with a ToolError']);
    expect(seen).toEqual([2]);
  });

  test('whose output is larger than it promised', async () => {
    const talkative = () => ({ max_output_bytes: 20 });
    expect(await failing(talkative, { large: { amount: 1 } }, /larger|generated/)).toEqual([
      'every generated input gives an output that matches the schema or a ToolError, and a ToolError that promises no effect had none',
      'an answer larger than max_output_bytes is cut or refused',
    ]);
  });

  test('that is read-only and provides no snapshot of what it could change', async () => {
    const harmless = () => read(async ({ amount }) => ({ key: '', amount }));
    expect(await failing(harmless, { counterpart: undefined })).toEqual(['a read-only tool changes nothing']);
  });
});

test('a tool that calls only hosts that it declares passes', async () => {
  const calling = () => ({
    ...read(async ({ amount }) => {
      await fetch(listener.url);
      return { key: '', amount };
    }),
    effect_class: 'read_external' as const,
    network: [new URL(listener.url).host],
  });
  expect(await failing(calling, {}, /no host/)).toEqual([]);
});
