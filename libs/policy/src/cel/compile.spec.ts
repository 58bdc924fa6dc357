import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CelBindings, type Subject } from './bindings.js';
import { compileCondition, compileExpression } from './compile.js';
import type { ConditionEnvironment } from './environment.js';

const subject = (more: Partial<Subject> = {}): Subject => ({
  inputs: { total: 4200, supplier: 'sup_alpha', lines: [{ quantity: 3, price: 2.5 }], note: null, constructor: 'x' },
  inputs_chars: 100,
  context: { purpose: null, agent: 'buyer' },
  principal: { kind: 'agent', id: 'buyer-1', roles: ['agent'] },
  tool: { name: 'create_purchase_order', markings: ['finance'], scopes: [] },
  facts: new Map([['preapproved_suppliers', { version: 1, rows: new Map([['sup_alpha', true]]) }]]),
  history: {},
  trust: {},
  now_ms: Date.UTC(2026, 4, 1, 12),
  ...more,
});

function judged(text: string, more: Partial<Subject> = {}, env: ConditionEnvironment = {}) {
  const program = compileCondition(text, env);
  if ('fault' in program) throw new Error(`${text}: ${program.fault.reason}`);
  return program.condition.judge(new CelBindings(subject(more)));
}

function faultOf(text: string, env: ConditionEnvironment = {}) {
  const program = compileCondition(text, env);
  return 'fault' in program ? program.fault : undefined;
}

describe('a condition', () => {
  const KORSO = 'inputs.total < 5000 && inputs.supplier in facts.preapproved_suppliers';

  test('auto-approves, in one line, purchase orders under 5,000 from a pre-approved supplier', () => {
    expect(judged(KORSO)).toBe(true);
    expect(judged(KORSO, { inputs: { total: 5000, supplier: 'sup_alpha' } })).toBe(false);
    expect(judged(KORSO, { inputs: { total: 10, supplier: 'sup_beta' } })).toBe(false);
  });

  test.each([
    ['inputs.lines[0].quantity * 2 > 5', true],
    ['inputs.total % 2 == 0', true],
    ['sum(inputs.lines.map(l, l.quantity * l.price)) == 7.5', true],
    ['inputs.lines.all(l, l.quantity > 0)', true],
    ['inputs.lines.exists(l, l.price > 100)', false],
    ['context.purpose == "refund"', false],
    ['context.agent.startsWith("buy")', true],
    ['"agent" in principal.roles', true],
    ['"finance" in tool.markings', true],
    ['now < timestamp("2026-05-02T00:00:00Z")', true],
    ['now.getHours() >= 8', true],
    ['inputs.supplier.matches("^sup_[a-z]+$")', true],
    ['has(inputs.discount)', false],
    ['has(inputs.discount) && inputs.discount > 3', false],
    ['inputs.constructor == "x"', true],
  ])('%s is %s', (text, expected) => expect(judged(text)).toBe(expected));

  test.each([
    'inputs.missing < 5000',
    'inputs.supplier < 5000',
    'inputs.note < 5000',
    '!(inputs.missing == 1)',
    'inputs.supplier in facts.no_such_table',
    'inputs.total / 0 > 1 && inputs.lines[7].price > 1',
    'history.case.calls < 3',
    'trust.tool > 0.9',
    'inputs.total',
    'inputs.__proto__ == 1',
    'inputs.toString == 1',
  ])('that fails or is not a bool never holds: %s', (text) => expect(judged(text)).toMatchObject({ error: expect.any(String) }));

  test('charges a pattern by its steps: a large one cannot search a large text, a small one can', () => {
    const text = (length: number) => ({ inputs: { text: 'ab'.repeat(length / 2) } });
    expect(judged('inputs.text.matches("a[ab]{900}[^ab]")', text(65_536))).toEqual({ error: 'the condition looks at too many items' });
    expect(judged('inputs.text.matches("a[ab]{900}[^ab]")', text(2_048))).toBe(false);
    expect(judged('inputs.text.matches("(a+)+[^ab]")', text(65_536))).toBe(false);
  });

  test('does not visit more items than allowed, however the loops are nested', () => {
    const many = { inputs: { list: Array.from({ length: 400 }, (_, i) => i) } };
    expect(judged('inputs.list.all(x, inputs.list.all(y, inputs.list.all(z, z >= 0)))', many)).toEqual({
      error: 'the condition looks at too many items',
    });
    expect(judged('inputs.list.all(x, x in inputs.list)', many)).toMatchObject({ error: expect.any(String) });
    expect(judged('inputs.list.all(x, x >= 0)', many)).toBe(true);
  });
});

describe('a fault has a position', () => {
  test.each<[string, string, number, number]>([
    ['inputs.total <', 'expecting', 1, 14],
    ['inputs.total < 5000 &&\n  amount > 3', 'no variable amount', 2, 3],
    ['frobnicate(inputs)', 'no function frobnicate', 1, 1],
    ['inputs.total == 3 || "a" + 1 == "b"', '_+_ does not accept (string, int)', 1, 25],
    ['context.purpos == "x"', 'context has no field purpos', 1, 8],
    ['now == "monday"', 'can never be equal', 1, 4],
    ['"x"', 'a condition must be a bool, and this is string', 1, 1],
    ['1 && true', 'expected a bool, found int', 1, 1],
    ['inputs.a.matches("(")', 'not a valid pattern', 1, 18],
    ['inputs.a.matches("(?=a)")', 'not a valid pattern: error parsing regexp: invalid or unsupported Perl syntax: `(?=`', 1, 18],
    ['inputs.a.matches("a{1,900}a{1,900}a{1,900}")', 'it compiles to 5399 steps, at most 2500 are allowed', 1, 18],
    ['inputs.a.matches(inputs.b)', 'a pattern must be a string literal', 1, 24],
    ['inputs.a.replace("", "xxxx") == ""', 'no function replace', 1, 9],
    ['', 'expecting', 1, 1],
  ])('%s', (text, reason, line, column) => {
    const fault = faultOf(text);
    expect(fault?.reason).toContain(reason);
    expect(fault?.position).toMatchObject({ line, column });
  });

  test('an expression that is too long, too deep or too nested is refused', () => {
    expect(faultOf(`inputs.a == "${'x'.repeat(5000)}"`)?.reason).toContain('4096');
    expect(faultOf(`${'('.repeat(2000)}true${')'.repeat(2000)}`)).toBeDefined();
    expect(faultOf(`1${' + (1'.repeat(80)}${')'.repeat(80)} == 81`)?.reason).toContain('64 deep');
    expect(faultOf(`inputs.a${' && true'.repeat(500)}`)?.reason).toMatch(/1000 parts|64 deep/);
    expect(faultOf('inputs.a.all(a, a.all(b, b.all(c, c.all(d, d))))')?.reason).toContain('nested over 3');
  });

  test('inputs are checked against the schema if the tool is known, facts against the tables', () => {
    const inputs_schema = {
      type: 'object',
      properties: { total: { type: 'number' }, supplier: { type: 'string' } },
      additionalProperties: false,
    };
    const env = { inputs_schema, fact_tables: ['preapproved_suppliers'] };
    expect(faultOf('inputs.total < 5000 && inputs.supplier in facts.preapproved_suppliers', env)).toBeUndefined();
    expect(faultOf('inputs.totl < 5000', env)?.reason).toBe('inputs has no field totl');
    expect(faultOf('inputs.total < "5000"', env)?.reason).toBe('_<_ does not accept (double, string)');
    expect(faultOf('inputs.supplier in facts.suppliers', env)?.reason).toBe('facts has no field suppliers');
  });
});

test('an expression returns JSON: numbers, lists and maps', () => {
  const value = (text: string) => {
    const program = compileExpression(text);
    return 'fault' in program ? program.fault : program.expression.evaluate(new CelBindings(subject()));
  };
  expect(value('inputs.total')).toEqual({ value: 4200 });
  expect(value('1 + 2')).toEqual({ value: 3 });
  expect(value('inputs.lines.map(l, l.quantity)')).toEqual({ value: [3] });
  expect(value('{"a": inputs.total}')).toEqual({ value: { a: 4200 } });
  expect(value('inputs.missing')).toMatchObject({ error: expect.any(String) });
  expect(value('now')).toMatchObject({ error: expect.stringContaining('not JSON') });
});

test('no text and no inputs cause an exception', () => {
  const words = fc.constantFrom(
    'inputs',
    '.',
    'a',
    '(',
    ')',
    '[',
    ']',
    '&&',
    '||',
    '!',
    '<',
    '==',
    '1',
    '"x"',
    'in',
    'facts',
    '?',
    ':',
    'all(x, x)',
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), fc.jsonValue(), (parts, inputs) => {
      const program = compileCondition(parts.join(' '));
      if ('fault' in program) expect(typeof program.fault.reason).toBe('string');
      else expect(['boolean', 'object']).toContain(typeof program.condition.judge(new CelBindings(subject({ inputs }))));
    }),
    { numRuns: 400 },
  );
});
