import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { promisify } from 'node:util';
import { testContext } from '@countersign/tool-kit/test-context';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { goldens, order } from '../goldens.js';
import { createPurchaseOrder } from '../purchasing/create-purchase-order.js';
import { ScratchLedger } from '../scratch-ledger.js';
import { asOnlyWriter } from './one-writer.js';

const run = promisify(execFile);
const ledger = new ScratchLedger();
beforeEach(() => ledger.make());
afterEach(() => ledger.remove());

const created = async () => Object.keys(await ledger.records()).filter((id) => /^purchase_order po_/.test(id));

/** A program that orders `count` times, in a process of its own. */
const program = (count: number) => `
  const { createPurchaseOrder } = await import(${JSON.stringify(new URL('../purchasing/create-purchase-order.js', import.meta.url).href)});
  const { testContext } = await import('@countersign/tool-kit/test-context');
  const input = ${JSON.stringify(goldens.create_purchase_order?.[0].input)};
  for (let i = 0; i < ${count}; i++)
    await createPurchaseOrder.run(input, testContext({ settings: ${JSON.stringify(ledger.settings)} }));
`;

test('four processes that write at once leave every order, each with a number of its own', async () => {
  const processes = Array.from({ length: 4 }, () =>
    run(process.execPath, ['--input-type=module', '-e', program(10)], { cwd: process.cwd() }),
  );
  await Promise.all(processes);
  expect(await created()).toHaveLength(40);
});

test('twenty keys with five concurrent runs each leave twenty orders', async () => {
  const keys = Array.from({ length: 20 }, () => randomUUID());
  const runs = keys.flatMap((idempotency_key) =>
    Array.from({ length: 5 }, () => createPurchaseOrder.run(order as never, testContext({ settings: ledger.settings, idempotency_key }))),
  );
  expect(new Set((await Promise.all(runs)).map((output) => JSON.stringify(output))).size).toBe(20);
  expect(await created()).toHaveLength(20);
});

test('a run that is given up while it waits writes nothing', async () => {
  const attempt = (signal: AbortSignal) => ({ key: randomUUID(), signal, deadline_ms: Date.now() + 60_000 });
  const stop = new AbortController();
  const begun = new EventEmitter();
  const holds = once(begun, 'holds');
  const first = asOnlyWriter('/a', attempt(new AbortController().signal), async () => {
    begun.emit('holds');
    await once(begun, 'free');
  });
  await holds;
  const second = asOnlyWriter('/a', attempt(stop.signal), async () => 'written');
  stop.abort();
  begun.emit('free');
  await first;
  await expect(second).rejects.toMatchObject({ code: 'CANCELLED', more: { effect: 'none' } });
});
