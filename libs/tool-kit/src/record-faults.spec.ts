import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from './define-tool.js';

const shape = z.object({ amount: z.int() });
type Definition = ToolDefinition<typeof shape, typeof shape>;
const tool: Definition = {
  name: 'book_amount',
  version: '1.0.0',
  title: 'Book an amount',
  description: 'Books an amount in a ledger, once a key.',
  category: 'spec',
  effect_class: 'commit_low',
  idempotency: { discriminating: ['amount'] },
  input: shape,
  output: shape,
  run: async (input) => input,
};
const record = {
  capabilities: ['ledger'],
  purposes: ['claims.adjustment'],
  sla: { p50_ms: 5, p95_ms: 10, p99_ms: 20, availability: 0.999 },
  accuracy: 0.9,
  cache: { kind: 'none' },
  cost_per_call: 0.002,
  network: ['localhost', '127.0.0.1:8080'],
  auth_requirements: ['LEDGER_TOKEN'],
  provider: 'acme',
  protocol: 'http',
  endpoint: 'http://127.0.0.1:8080',
  audit_status: 1,
  ontology_pin: '2026.1',
  compatibility: ['countersign >=0.1.0'],
} as const satisfies Partial<Definition>;

test("a tool's declarations are in its contract, and undeclared fields are not", () => {
  const checked: Definition = {
    ...tool,
    ...(structuredClone(record) as Partial<Definition>),
    verify: async () => ({ kind: 'verified' }),
    sanity: [{ name: 'same_amount', severity: 'block', holds: (input, output) => input.amount === output.amount }],
  };
  const { contract } = defineTool(checked);
  expect(contract).toMatchObject({ ...record, has_verify: true, sanity: [{ name: 'same_amount', severity: 'block' }] });
  const bare = Object.keys(defineTool(tool).contract);
  for (const field of [...Object.keys(record), 'has_verify', 'sanity']) expect(bare).not.toContain(field);
});

test('verify and the predicates receive validated inputs, and belong to the tool', async () => {
  const made = defineTool({ ...tool, sanity: [{ name: 'small', severity: 'warn', holds: (input) => input.amount < 9 }] });
  expect(made.sanity?.[0]?.holds({ amount: 7 } as never, {} as never)).toBe(true);
  expect(() => made.sanity?.[0]?.holds({ amount: 'x' } as never, {} as never)).toThrow('do not match');
});

describe('a contract is refused', () => {
  const two = [1, 2].map(() => ({ name: 'same', severity: 'warn' as const, holds: () => true }));
  test.each<[string, Partial<Definition>, RegExp]>([
    ['with a tag that has a space', { capabilities: ['a b'] }, /capabilities: "a b"/],
    ['with a URL for a host', { network: ['https://x.org/'] }, /is not a host/],
    ['with a secret that looks like a value', { auth_requirements: ['sk-1 2'] }, /name of a secret/],
    ['with an unknown pattern', { pattern: 'guess' as never }, /pattern must be/],
    ['with a password in its endpoint', { endpoint: 'https://u:p@x.org' }, /credentials/],
    ['with a p50 above its p95', { sla: { p50_ms: 9, p95_ms: 5, p99_ms: 20, availability: 1 } }, /p50_ms <= p95_ms/],
    ['with an availability of 99', { sla: { p50_ms: 1, p95_ms: 5, p99_ms: 20, availability: 99 } }, /availability/],
    ['with a negative cost', { cost_per_call: -1 }, /cost_per_call/],
    ['when a write is cached', { cache: { kind: 'forever' } }, /only read-only tools may have a cache/],
    ['with a ttl and no time', { effect_class: 'pure', idempotency: undefined, cache: { kind: 'ttl' } }, /ttl_ms/],
    [
      'when a read verifies',
      { effect_class: 'pure', idempotency: undefined, verify: async () => ({ kind: 'verified' }) },
      /that verify could find/,
    ],
    ['with one name twice', { sanity: two }, /the same name/],
  ])('%s', (_title, change, message) => {
    expect(() => defineTool({ ...tool, ...change })).toThrow(message);
  });
});

describe('inputs with grant marks', () => {
  const marked = (input: Definition['input'], more: Partial<Definition> = {}) =>
    defineTool({
      ...tool,
      effect_class: 'commit_high',
      idempotency: { except: [] },
      input,
      run: async () => ({ amount: 1 }),
      ...more,
    } as Definition);

  test('a number may be an amount, any input may be free, and the contract contains both marks', () => {
    const input = z.strictObject({ amount: z.int().meta({ 'x-grant': 'amount' }), memo: z.string().meta({ 'x-grant': 'free' }) });
    const { properties } = marked(input as never).contract.input_schema as { properties: Record<string, object> };
    expect(properties).toMatchObject({ amount: { 'x-grant': 'amount' }, memo: { 'x-grant': 'free' } });
  });

  test.each([
    [
      'an amount that is no number',
      z.strictObject({ amount: z.string().meta({ 'x-grant': 'amount' }) }),
      '/amount: x-grant: amount requires a number',
    ],
    [
      'another word',
      z.strictObject({ to: z.strictObject({ name: z.string().meta({ 'x-grant': 'any' }) }) }),
      '/to/name: x-grant must be amount or free',
    ],
  ])('%s is refused', (_what, input, fault) => {
    expect(() => marked(input as never)).toThrow(fault);
  });

  test('an input that names a resource, or contains such a name, is not free: a grant on one would cover the others', () => {
    const to = z.strictObject({ iban: z.string() });
    const resources = [{ name: 'account:{/to/iban}', effect: 'adds' as const }];
    const fault = '/to: x-grant: free is not allowed for an input that names a resource of the tool';
    expect(() => marked(z.strictObject({ to: to.meta({ 'x-grant': 'free' }) }) as never, { resources })).toThrow(fault);
    const below = z.strictObject({ to: z.strictObject({ iban: z.string().meta({ 'x-grant': 'free' }) }) });
    expect(() => marked(below as never, { resources })).toThrow('/to/iban: x-grant: free is not allowed');
    const beside = z.strictObject({ to, memo: z.string().meta({ 'x-grant': 'free' }) });
    expect(marked(beside as never, { resources }).contract.resources).toEqual(resources);
  });
});

describe('inputs that may be broadened', () => {
  const read = (mark: unknown, more: Partial<Definition> = {}) =>
    defineTool({
      ...tool,
      ...{ effect_class: 'read_internal', idempotency: undefined, run: async () => ({ amount: 1 }) },
      input: z.strictObject({ since: z.string().optional().meta({ 'x-broaden': mark }), owner: z.string() }),
      ...more,
    } as Definition);

  test('have an order, or an order and a wider value', () => {
    for (const mark of [1, { order: 2, to: 'any' }]) {
      const { properties } = read(mark).contract.input_schema as { properties: Record<string, object> };
      expect(properties.since).toMatchObject({ 'x-broaden': mark });
    }
  });

  test('are inputs of reads that may be left out', () => {
    for (const mark of ['first', true, { to: 'any' }, null]) expect(() => read(mark)).toThrow('/since: x-broaden must be an order');
    const required = z.strictObject({ owner: z.string().meta({ 'x-broaden': 1 }) });
    expect(() => read(1, { input: required as never })).toThrow('/owner: x-broaden: a required input cannot be dropped');
    const write = { effect_class: 'commit_low', idempotency: { except: [] } } as const;
    expect(() => read(1, write as never)).toThrow('/since: x-broaden: only the inputs of reads are broadened');
  });
});
