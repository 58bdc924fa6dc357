import { expect, test } from 'vitest';
import { amountFact, amountPointer } from './amounts.js';
import { firstTimes, recipientsOf } from './recipients.js';
import { type Known, unusualFacts } from './unusual.js';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const EARLIER = { count: 40, complete: true, since_ms: NOW - 1000, versions: ['1.0.0'], contract_digest: 'd' };
const USUAL: Known = {
  now_ms: NOW,
  call: { tool: 'pay', version: '1.0.0', contract_digest: 'd' },
  agent: { id: 'bot', is_new_to_tool: false, trust: { score: 0.8, reported: null, band: 'high', at_ms: 0 } },
  tool_trust: { score: 0.8, reported: null, band: 'high', at_ms: 0 },
  mapped: null,
  edited_by: null,
  earlier: EARLIER,
  first_for: [],
  amount: amountFact('/amount', 10, [5, 10, 20, 8, 12], true),
  lifecycle: undefined,
};
const codes = (more: Partial<Known>) => unusualFacts({ ...USUAL, ...more }).map(({ code }) => code);
const texts = (more: Partial<Known>) => unusualFacts({ ...USUAL, ...more }).map(({ text }) => text);

test('nothing is unusual about a usual call', () => {
  expect(unusualFacts(USUAL)).toEqual([]);
});

test('a mapping that changed inputs is named with their places, not their values; one that changed nothing is not', () => {
  expect(texts({ mapped: { version: 3, changes: ['/to'] } })).toEqual(['A mapping of the tenant changed what the agent sent: /to']);
  expect(codes({ mapped: { version: 3, changes: [] } })).toEqual([]);
});

test('edited inputs name who edited them', () => {
  expect(texts({ edited_by: 'ann' })).toEqual(['ann edited the inputs']);
});

test('the first effect of a tool in the tenant is one fact, not one for each recipient', () => {
  const earlier = { count: 0, complete: true, since_ms: null, versions: [], contract_digest: null };
  expect(codes({ earlier, first_for: [{ field: 'account', key: 'x', shown: 'x' }] })).toEqual(['first_use_of_tool']);
});

test('a first recipient says among how many calls, if not all were compared', () => {
  const first_for = [{ field: 'account', key: 'x', shown: 'x' }];
  expect(texts({ first_for })).toEqual(['First call of pay for account “x”']);
  expect(texts({ first_for, earlier: { ...EARLIER, complete: false } })).toEqual(['First call of pay among the newest 40 for account “x”']);
});

test('an amount is unusual above the maximum, and far above the median of enough calls', () => {
  const amount = (value: number, earlier: number[]) => codes({ amount: amountFact('/amount', value, earlier, true) });
  expect(amount(20, [5, 10, 20])).toEqual([]);
  expect(amount(20.01, [5, 10, 20])).toEqual(['amount_above_maximum']);
  expect(amount(31, [10, 10, 10, 10, 100])).toEqual(['amount_far_above_median']);
  expect(amount(31, [10, 10, 10, 100])).toEqual([]);
  expect(amount(31, [])).toEqual([]);
});

test('the amounts of the last days have count, median and maximum', () => {
  expect(amountFact('/a', 1, [4, 1, 3, 2], false).last_30_days).toEqual({ count: 4, median: 2.5, maximum: 4, complete: false });
  expect(amountFact('/a', 1, [], true).last_30_days).toEqual({ count: 0, median: null, maximum: null, complete: true });
});

test('an agent that is new to the tool, or whose trust is low, is named; a tool of low trust too', () => {
  const low = { score: 0.21, reported: null, band: 'low' as const, at_ms: 0 };
  expect(codes({ agent: { id: 'bot', is_new_to_tool: true, trust: undefined } })).toEqual(['agent_new_to_tool']);
  expect(texts({ agent: { id: 'bot', is_new_to_tool: false, trust: low } })).toEqual(['The trust score of bot is low (0.21)']);
  expect(codes({ agent: null, tool_trust: low })).toEqual(['tool_low_trust']);
});

test('a version that never ran, was promoted a short time ago, or has another contract is named', () => {
  expect(codes({ earlier: { ...EARLIER, versions: ['0.9.0'], contract_digest: null } })).toEqual(['version_new']);
  const promoted = (days: number) => codes({ lifecycle: { state: 'active', changed_at_ms: NOW - days * 86_400_000 } });
  expect([promoted(6), promoted(8)]).toEqual([['version_newly_promoted'], []]);
  expect(codes({ lifecycle: { state: 'deprecated', changed_at_ms: NOW } })).toEqual([]);
  expect(codes({ earlier: { ...EARLIER, contract_digest: 'other' } })).toEqual(['contract_changed']);
});

test('the amount is the input that the contract marks, else the one that a limit of the tool adds up', () => {
  const input_schema = { properties: { payment: { properties: { sum: { type: 'number', 'x-grant': 'amount' } } }, amount: {} } };
  expect(amountPointer({ input_schema }, [{ amount: 'inputs.amount' }])).toBe('/payment/sum');
  expect(amountPointer({ input_schema: {} }, [{ amount: null }, { amount: ' inputs.payment.amount ' }])).toBe('/payment/amount');
  expect(amountPointer({ input_schema: {} }, [{ amount: 'inputs.a + inputs.b' }])).toBeUndefined();
});

const paying = {
  idempotency: { discriminating: ['to', 'amount', 'note'] },
  input_schema: { properties: { amount: { 'x-grant': 'amount' } } },
};
const to = (who: string, note: string) => recipientsOf(paying, { to: who, amount: 5, note });

test('a recipient is new if no earlier call had it; declared resources decide alone', () => {
  const file = { ...paying, resources: [{ name: 'account:{/to}', effect: 'adds' as const }] };
  const earlier = [recipientsOf(file, { to: 'ACME' })];
  expect(firstTimes(recipientsOf(file, { to: 'acme' }), earlier, true)).toEqual([]);
  expect(firstTimes(recipientsOf(file, { to: 'other' }), earlier, true)).toEqual([{ field: 'account', key: 'other', shown: 'other' }]);
});

test('a field whose value never repeats is a text and names no recipient', () => {
  const earlier = ['a', 'a', 'b', 'b', 'c'].map((who, n) => to(who, `note ${n}`));
  expect(firstTimes(to('d', 'note 9'), earlier, false).map(({ field }) => field)).toEqual(['/to']);
  expect(firstTimes(to('a', 'note 9'), earlier, false)).toEqual([]);
});

test('sealed and erased values name no recipient', () => {
  expect(recipientsOf(paying, { to: 'sealed:v1:AAAA', note: 'erased', amount: 1 })).toEqual([]);
  expect(recipientsOf({ ...paying, resources: [{ name: 'account:{/to}', effect: 'adds' }] }, { to: 'sealed:v1:AAAA' })).toEqual([]);
  expect(recipientsOf(paying, 'sealed:v1:AAAA')).toEqual([]);
});
