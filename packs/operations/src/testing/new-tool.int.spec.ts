import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineTool } from '@countersign/tool-kit';
import { type ContractTestOptions, contractTests } from '@countersign/tool-kit/contract-tests';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { writeTimes } from '../erp/creates.js';
import { movedShape, moves } from '../erp/moves.js';
import { erpId, native } from '../hermes/shapes.js';
import { pack } from '../index.js';
import { ScratchLedger } from '../scratch-ledger.js';

const LINES_MAX = 150;

/** The 28th tool, as a developer of the pack would write it. */
const finishSalesOrder = defineTool({
  name: 'finish_sales_order',
  version: '1.0.0',
  title: 'Finish a sales order',
  description: 'Marks a sales order in processing as done, once everything is delivered.',
  summary: 'Mark the sales order {/order_id} as done',
  category: 'sales',
  effect_class: 'commit_high',
  reversibility: 'irreversible',
  idempotency: { discriminating: ['order_id'] },
  resources: [{ name: 'sales_order:{/order_id}', effect: 'replaces' }],
  ...writeTimes,
  input: z.strictObject({ order_id: erpId }),
  output: movedShape('order_id'),
  system_input: native('order_id'),
  ...moves('sales_order', 'order_id', () => ({ action: 'done', reached: ['done'], by_hand: 'close the order in the ERP' })),
});

const ledger = new ScratchLedger();
const input = { order_id: 't_so_1003' };
const inProcessing = () => ledger.edit('sales_order', 't_so_1003', { status: 'processing' });

const options: ContractTestOptions = {
  golden: [{ title: 'an order in processing', input, output: { status: 'done' } }],
  counterpart: {
    ...ledger.counterpart,
    prepare: async () => {
      ledger.make();
      await inProcessing();
    },
  },
  states: [{ title: 'a person opens it again', a: input, b: inProcessing }],
  generated_runs: 12,
};

contractTests(finishSalesOrder, options);

const src = path.resolve('packs/operations/src');
const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n').length;

test('a tool with its contract tests has at most 150 lines: this one, and each of the pack', () => {
  expect(linesOf(path.join(src, 'testing/new-tool.int.spec.ts'))).toBeLessThanOrEqual(LINES_MAX);
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' });
  const tools = pack.tools.map(({ contract }) => `${contract.name.replaceAll('_', '-')}.ts`);
  const found = tools.map((name) => files.find((file) => path.basename(file) === name));
  expect(found).not.toContain(undefined);
  expect(found.filter((file) => linesOf(path.join(src, file as string)) > LINES_MAX)).toEqual([]);
});
