import { describe, expect, test } from 'vitest';
import { policyInForce } from './policy-in-force.js';
import type { FoundRecord, RecordsOfCalls } from './records-of-calls.js';

type Set = [event_type: string, event: Record<string, unknown>, tenant_id?: string];

/** The offsets that are found when the configuration has these events, one per offset. */
async function offsetsOf(sets: readonly Set[], positions: number[]): Promise<number[]> {
  const found = sets.map(([event_type, event, tenant_id = 'acme'], offset) => {
    const fields = { meta: { tenant_id }, ...event };
    return { record: { offset }, event: { event_type, event: fields } } as unknown as FoundRecord;
  });
  const records: Pick<RecordsOfCalls, 'below'> = {
    below: async function* (_topic, _partition, end) {
      yield* found.slice(0, end);
    },
  };
  return (await policyInForce(records, 'acme', positions)).map(({ record }) => record.offset);
}

const row = (tool: string): Set => ['tool_policy_set', { tool }];
const grant = (grant_id: string): Set => ['grant_set', { grant: { grant_id } }];
const facts = (table: string, mode: string): Set => ['fact_table_set', { table, mode }];

describe('the policy in force', () => {
  test('includes the last record of a rule before the decision; each grant, limit, row and version by its own name', async () => {
    const sets: Set[] = [
      grant('g1'),
      grant('g2'),
      ['limit_set', { limit_id: 'l1' }],
      ['limit_set', { limit_id: 'l2' }],
      row('a'),
      row('b'),
      row('a'),
      ['policy_bundle_published', { version: 'v1' }],
      ['policy_bundle_activated', { version: 'v1' }],
      ['policy_bundle_activated', { version: null }],
      row('c'),
    ];
    expect(await offsetsOf(sets, [9])).toEqual([0, 1, 2, 3, 5, 6, 7, 9]);
    expect(await offsetsOf(sets, [])).toEqual([]);
    expect(await offsetsOf([['tool_policy_set', { tool: 'a' }, 'globex'], ['webhook_set', {}], row('a')], [2])).toEqual([2]);
  });

  test('includes the rows merged into a fact table since its last replacement', async () => {
    const sets = [
      facts('t', 'replace'),
      facts('t', 'merge'),
      facts('t', 'replace'),
      facts('u', 'merge'),
      facts('t', 'merge'),
      facts('t', 'merge'),
    ];
    expect(await offsetsOf(sets, [5])).toEqual([2, 3, 4, 5]);
    expect(await offsetsOf([...sets, facts('t', 'drop')], [6])).toEqual([3, 6]);
  });

  test('includes what each of several decisions saw, if it changed between them', async () => {
    const sets = [row('a'), row('a'), row('b'), row('a')];
    expect(await offsetsOf(sets, [3, 0])).toEqual([0, 2, 3]);
    expect(await offsetsOf(sets, [2, 2, 1])).toEqual([1, 2]);
    expect(await offsetsOf(sets, [99, -1])).toEqual([2, 3]);
  });
});
