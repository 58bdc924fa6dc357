import { describe, expect, test } from 'vitest';
import { CelBindings } from './bindings.js';
import { compileCondition } from './compile.js';

function usesOf(text: string) {
  const compiled = compileCondition(text);
  if ('fault' in compiled) return compiled.fault.reason;
  const { history } = compiled.condition.uses;
  return history && { scopes: [...history.scopes].sort(), tools: [...history.tools].sort() };
}
const all = ['agent', 'case', 'circuit', 'first_use_of_tool', 'flagged', 'run'];

const bindings = (history: object) =>
  new CelBindings({
    inputs: {},
    inputs_chars: 2,
    context: {},
    principal: {},
    tool: {},
    facts: new Map(),
    history: history as Record<string, unknown>,
    trust: {},
    now_ms: 0,
  });

describe('the parts of history that a condition uses', () => {
  test.each([
    ['inputs.total < 5', undefined],
    ['history.case.calls < 5', { scopes: ['case'], tools: [] }],
    ['history.flagged > 0', { scopes: ['flagged'], tools: [] }],
    ["'credentials' in history.run.flags", { scopes: ['run'], tools: [] }],
    ['history.agent.last_24h.flagged > 0', { scopes: ['agent'], tools: [] }],
    ["history.circuit == 'open'", { scopes: ['circuit'], tools: [] }],
    ['history.first_use_of_tool || history.run.denied > 2', { scopes: ['first_use_of_tool', 'run'], tools: [] }],
    ["history.case.tools['pay'].succeeded == 0", { scopes: ['case'], tools: ['pay'] }],
    ['history.agent.last_1h.tools.pay.failed > 3', { scopes: ['agent'], tools: ['pay'] }],
    ["'pay' in history.case.tools", { scopes: ['case'], tools: ['*'] }],
    ['history.case.tools[tool.name].calls > 0', { scopes: ['case'], tools: ['*'] }],
    ['history.run.tools.all(t, history.run.tools[t].failed == 0)', { scopes: ['run'], tools: ['*'] }],
    ["history['case'].calls < 5", { scopes: ['case'], tools: [] }],
    ['history[inputs.scope].calls < 5', { scopes: all, tools: ['*'] }],
  ])('%s', (text, expected) => expect(usesOf(text)).toEqual(expected));

  test.each([
    ['history.cas.calls < 5', /cas/],
    ['history.case.call < 5', /call/],
    ['history.agent.last_2h.calls < 5', /last_2h/],
    ['history.agent.last_1h.pending < 5', /pending/],
    ["history.case.tools['pay'].suceeded > 0", /suceeded/],
    ['history.agent.last_1h.flags.size() > 0', /flags/],
    ['history.flags.size() > 0', /flags/],
  ])('an unknown member of history is a fault of the rule: %s', (text, reason) => expect(usesOf(text)).toMatch(reason));

  test('numbers compare with integers and with each other, and missing history is an error', () => {
    const judged = (text: string, history: object) => {
      const compiled = compileCondition(text);
      if ('fault' in compiled) throw new Error(compiled.fault.reason);
      return compiled.condition.judge(bindings(history));
    };
    const counts = { calls: 3, pending: 1, succeeded: 2, failed: 0, denied: 0, in_doubt: 0 };
    const history = { case: { ...counts, tools: { pay: counts } }, first_use_of_tool: false };
    expect(judged("history.case.tools['pay'].succeeded >= 2 && history.case.failed == 0 && !history.first_use_of_tool", history)).toBe(
      true,
    );
    expect(judged('history.case.calls < history.case.succeeded + 1', history)).toBe(false);
    expect(judged('history.run.calls < 3', history)).toMatchObject({ error: expect.any(String) });
    expect(judged('history.case.calls < 3', {})).toMatchObject({ error: expect.any(String) });
  });

  test('flags of results: their number, and the calls by pattern', () => {
    const judged = (text: string, history: object) => {
      const compiled = compileCondition(text);
      if ('fault' in compiled) throw new Error(compiled.fault.reason);
      return compiled.condition.judge(bindings(history));
    };
    const history = { flagged: 2, run: { flagged: 2, flags: { credentials: 1, instructions: 2 }, tools: {} } };
    expect(judged('history.flagged > 0 && history.run.flags.size() == 2', history)).toBe(true);
    expect(judged("'credentials' in history.run.flags || 'padding' in history.run.flags", history)).toBe(true);
    expect(judged("history.run.flags.exists(flag, flag in ['exfiltration', 'padding'])", history)).toBe(false);
    expect(judged('history.flagged > 0', {})).toMatchObject({ error: expect.any(String) });
  });
});
