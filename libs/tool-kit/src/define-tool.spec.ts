import { contractDigest } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from './define-tool.js';
import { testContext } from './test-context.js';

const input = z.object({
  account: z.string(),
  amount: z.int().positive(),
  mode: z.enum(['a', 'b']).default('a'),
  drafted_at: z.string().optional(),
});
const output = z.object({ ok: z.boolean(), mode: z.string() });
type Definition = ToolDefinition<typeof input, typeof output>;

const write: Definition = {
  name: 'refund_payment',
  version: '1.2.3',
  title: 'Refund a payment',
  description: 'Refunds a payment to the account it came from.',
  category: 'payments',
  effect_class: 'commit_low',
  idempotency: { discriminating: ['account', 'amount'] },
  input,
  output,
  run: async ({ mode }) => ({ ok: true, mode }),
};
const read: Definition = { ...write, name: 'find_payment', effect_class: 'read_internal', idempotency: undefined };
const faultOf = (definition: Definition) => {
  try {
    defineTool(definition);
  } catch (error) {
    return (error as TypeError).message;
  }
  return 'none';
};

describe('a defined tool', () => {
  test('has a contract with every default filled in, which is canonical JSON', () => {
    const { contract } = defineTool(write);
    expect(contract).toMatchObject({
      reversibility: 'semantic',
      timeout_ms: 30_000,
      settle_ms: 60_000,
      settle_is_final: false,
      max_output_bytes: 2_097_152,
      takes_key: false,
      has_reconcile: false,
      has_compensate: false,
      idempotency: { discriminating: ['account', 'amount'], window_ms: 86_400_000 },
      markings: [],
      scopes: [],
    });
    expect(contractDigest(contract)).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.parse(JSON.stringify(contract))).toEqual(contract);
  });

  test('closes every object of its schemas, and does not require a field that has a default', () => {
    const { input_schema } = defineTool({ ...write, input: input.extend({ nested: z.object({ x: z.number() }) }) as never }).contract;
    expect(input_schema).toMatchObject({ type: 'object', additionalProperties: false, required: ['account', 'amount', 'nested'] });
    expect(input_schema).toHaveProperty('properties.nested.additionalProperties', false);
    expect(input_schema).not.toHaveProperty('$schema');
  });

  test('accepts JSON Schema 2020-12 unchanged, and closes it', () => {
    const { run: _run, sanity: _sanity, reconcile: _r, compensate: _c, changedNothing: _n, verify: _v, ...rest } = write;
    const { sourceVersion: _s, ...traits } = rest;
    const tool = defineTool({
      ...traits,
      input: { type: 'object', properties: { account: { type: 'string' } }, required: ['account'] },
      output: { type: 'object', properties: { got: { type: 'string' } } },
      idempotency: { except: [] },
      run: async (value) => ({ got: value.account }),
    });
    expect(tool.contract.input_schema).toMatchObject({ additionalProperties: false });
  });

  test('fills in defaults before it runs, and refuses invalid inputs with effect none', async () => {
    const tool = defineTool(write);
    await expect(tool.run({ account: 'a', amount: 1 } as never, testContext())).resolves.toEqual({ ok: true, mode: 'a' });
    await expect(tool.run({ account: 'a', amount: -1 } as never, testContext())).rejects.toMatchObject({
      countersign_tool_error: true,
      code: 'VALIDATION_ERROR',
      more: { effect: 'none', details: { issues: [{ path: '/amount' }] } },
    });
  });

  test('has its resources in its contract, and none if it declares none', () => {
    const resources = [
      { name: 'account:{/account}', effect: { by: '/mode', values: { a: 'adds' as const }, otherwise: 'replaces' as const } },
    ];
    expect(defineTool({ ...write, resources }).contract.resources).toEqual(resources);
    expect(defineTool(write).contract).not.toHaveProperty('resources');
    const nested = input.extend({ nested: z.object({ on: z.boolean() }).or(z.null()) }) as never;
    const by = { by: '/nested/on', values: { true: 'adds' as const }, otherwise: 'replaces' as const };
    expect(() => defineTool({ ...write, input: nested, resources: [{ name: 'account:{/account}', effect: by }] })).not.toThrow();
  });

  test('names resources by the inputs that run: those of its system if a mapping precedes it', () => {
    const mapped = (name: string) =>
      faultOf({ ...write, system_input: z.object({ partner: z.string() }), resources: [{ name, effect: 'adds' }] } as never);
    expect(mapped('partner:{/partner}')).toBe('none');
    expect(mapped('account:{/account}')).toMatch(/the input has no \/account/);
  });

  test('states in its contract whether it can reconcile and compensate', () => {
    const tool = defineTool({ ...write, reconcile: async () => ({ kind: 'did_not_happen' }), compensate: async () => null });
    expect(tool.contract).toMatchObject({ has_reconcile: true, has_compensate: true });
    expect(tool.reconcile).toBeDefined();
  });
});

describe('a contract is refused', () => {
  test.each<[string, Partial<Definition>, RegExp]>([
    ['with a capital in its name', { name: 'Refund' }, /name must match/],
    ['with a name of 65 characters', { name: 'a'.repeat(65) }, /name must match/],
    ['with a version that is not semver', { version: '1.0' }, /not semver/],
    ['with a leading zero in its version', { version: '01.0.0' }, /not semver/],
    ['with one in its prerelease', { version: '1.0.0-01' }, /not semver/],
    ['with a number beyond the safe integers', { version: '9007199254740993.0.0' }, /not semver/],
    ['with a description of 19 characters', { description: 'x'.repeat(19) }, /description is shorter/],
    ['with no title', { title: ' ' }, /title is empty/],
    ['when a write says nothing of its key', { idempotency: undefined }, /either discriminating or except/],
    ['when nothing discriminates', { idempotency: { discriminating: [] } }, /no input discriminates/],
    ['when except leaves nothing', { idempotency: { except: ['account', 'amount', 'mode', 'drafted_at'] } }, /no input discriminates/],
    ['when a discriminating field is not an input', { idempotency: { discriminating: ['acount'] } }, /does not have: acount/],
    ['when an excepted field is not an input', { idempotency: { except: ['acount'] } }, /does not have: acount/],
    ['when only a time discriminates', { idempotency: { discriminating: ['drafted_at'] } }, /only a time/],
    ['when only a time is left', { idempotency: { except: ['account', 'amount', 'mode'] } }, /only a time/],
    ['when a time field is not listed in except', { idempotency: { except: ['mode'] } }, /\(drafted_at\): list it in except/],
    ['with a laxer tier', { tier: 'tier_0_safe' }, /laxer/],
    ['with tier_3_blocked', { tier: 'tier_3_blocked' }, /only policy may set/],
    ['with a timeout of 0', { timeout_ms: 0 }, /timeout_ms/],
    ['with a window of half a millisecond', { idempotency: { discriminating: ['account'], window_ms: 0.5 } }, /window_ms/],
  ])('%s', (_title, change, message) => {
    expect(faultOf({ ...write, ...change })).toMatch(message);
  });

  const of = (name: string, effect: unknown = 'adds') => ({ resources: [{ name, effect: effect as 'adds' }] });
  test.each<[string, Partial<Definition>, RegExp]>([
    ['with no resources in its list', { resources: [] }, /must list 1 to 16/],
    ['with a resource without a kind', of('account'), /resources\[0\]: name "account": it has no kind/],
    ['with a kind in capitals', of('Account:{/account}'), /its kind "Account" must match/],
    ['with a resource by an input that is not there', of('account:{/acount}'), /resources\[0\]: the input has no \/acount/],
    ['with a resource by a part that is not there', of('account:{/account/id}'), /the input has no \/account\/id/],
    ['with an effect that there is not', of('account:{/account}', 'deletes'), /effect must be replaces, adds, or/],
    [
      'with an effect by a text',
      of('account:{/account}', { by: '/account', values: {}, otherwise: 'adds' }),
      /must be an input with an enum/,
    ],
    ['with an effect by no input', of('account:{/account}', { by: '/mod', values: {}, otherwise: 'adds' }), /\/mod must be an input/],
    [
      'with an effect by a value that is never there',
      of('account:{/account}', { by: '/mode', values: { c: 'adds' }, otherwise: 'adds' }),
      /\/mode is never c; it is one of a, b/,
    ],
    [
      'with an effect that does not say the rest',
      of('account:{/account}', { by: '/mode', values: { a: 'adds' } }),
      /values and otherwise must each be/,
    ],
    [
      'with one resource twice',
      { resources: [...of('a:{/mode}').resources, ...of('a:{/mode}').resources] },
      /two templates have the same name/,
    ],
  ])('%s', (_title, change, message) => {
    expect(faultOf({ ...write, ...change })).toMatch(message);
  });

  test('when a read-only tool names a resource', () => {
    expect(faultOf({ ...read, ...of('account:{/account}') })).toMatch(/a read-only tool must not declare resources/);
  });

  test('when a read-only tool claims to reconcile, compensate or take a key', () => {
    const message = faultOf({
      ...read,
      takes_key: true,
      reconcile: async () => ({ kind: 'did_not_happen' }),
      compensate: async () => null,
    });
    expect(message).toMatch(/nothing to reconcile; .*nothing to compensate; .*takes no key/);
  });

  test('with all its faults at once', () => {
    expect(faultOf({ ...write, name: '1', version: 'x', description: '' })).toMatch(/name must.*not semver.*description/);
  });
});

test('a read-only tool needs no idempotency, and its contract uses only one of the two lists', () => {
  expect(defineTool(read).contract.idempotency).toEqual({ except: [] });
});

test('a stricter tier than that of the effect class is kept', () => {
  expect(defineTool({ ...write, tier: 'tier_2_approval_required' }).contract.tier).toBe('tier_2_approval_required');
});
