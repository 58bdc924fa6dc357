import type { ToolCall } from '@countersign/contracts';
import { initialConfiguration } from '@countersign/domain';
import { digest8, executionState, type Sql } from '@countersign/store';
import { expect, test } from 'vitest';
import { KeyRows } from './key-rows.js';

const DIGEST = 'a'.repeat(64);
const KEY = '68ca126d-838f-8a77-835c-414dfeba0dab';
const call = { idempotency_key: KEY, discriminating_digest: DIGEST, window_ms: 60_000, case_id: null, key_source: 'derived' } as ToolCall;

/** The keys that a row in this state holds, if it ended a second ago with its effect in place. */
async function heldBy(state: keyof typeof executionState, options: { answer_gone?: boolean; key_source?: ToolCall['key_source'] } = {}) {
  const row = { key: KEY, attempt: 1, call_uuid: KEY, partition: 0, digest8: digest8(DIGEST), ended_at_s: 99, stands: true };
  const sql = { query: async () => [{ ...row, state: executionState[state] }] } as unknown as Sql;
  const rows = new KeyRows(
    sql,
    () => initialConfiguration(),
    () => 100_000,
  );
  const { key_source = 'header', ...more } = options;
  return [...(await rows.holdersOf([{ tenant_id: 'acme', call: { ...call, key_source }, ...more }])).keys()];
}

test.each([
  ['succeeded', [KEY]],
  ['in_doubt', [KEY]],
  ['failed_with_effect', [KEY]],
  ['released', []],
  ['reading', []],
  // Its key is free: a call that joined it would return to the policy service and join it again, forever.
  ['compensated', []],
] as const)('an attempt that is %s holds %j', async (state, held) => {
  expect(await heldBy(state)).toEqual(held);
});

test('an answer whose effect was replaced holds no key', async () => {
  expect(await heldBy('succeeded', { answer_gone: true })).toEqual([]);
});
