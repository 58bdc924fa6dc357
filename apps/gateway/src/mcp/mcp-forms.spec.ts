import { Refusal } from '@countersign/calls';
import { sampleContract } from '@countersign/calls/testing/samples';
import { effectRules } from '@countersign/contracts';
import type { TenantToolVersion } from '@countersign/domain';
import { describe, expect, test } from 'vitest';
import { isAllowedOrigin } from './allowed-origin.js';
import { resultOfEnvelope, resultOfRefusal } from './envelope-result.js';
import { ProgressReports } from './progress-reports.js';
import { mcpTool, takesOccurrence } from './tool-form.js';

type Contract = Parameters<typeof sampleContract>[0];

const versionOf = (more: Contract): TenantToolVersion => {
  const contract = sampleContract(more);
  return { tool: { name: contract.name, version: contract.version, digest: 'd', contract } as never, lifecycle: 'active' };
};

describe('a listed tool', () => {
  test.each(Object.keys(effectRules) as (keyof typeof effectRules)[])('of class %s has the hints of its class', (effect_class) => {
    expect(mcpTool(versionOf({ effect_class })).annotations).toMatchObject(effectRules[effect_class].mcp);
  });

  test('takes an occurrence if it writes and has no input of this name', () => {
    expect(takesOccurrence(sampleContract({ effect_class: 'commit_low' }))).toBe(true);
    expect(takesOccurrence(sampleContract({ effect_class: 'read_internal' }))).toBe(false);
    const input_schema = { type: 'object', properties: { countersign_occurrence: { type: 'number' } } };
    expect(takesOccurrence(sampleContract({ input_schema }))).toBe(false);
    expect(mcpTool(versionOf({ input_schema })).inputSchema).toEqual(input_schema);
  });

  test('promises no output schema: policy may redact an output', () => {
    const tool = mcpTool(versionOf({}));
    expect(tool).not.toHaveProperty('outputSchema');
    expect(tool._meta?.['dev.countersign/tool']).toHaveProperty('output_schema');
  });
});

describe('a result', () => {
  const envelope = {
    call_id: '1-x',
    status: 'succeeded',
    output: { a: 1 },
    inputs: { secret: 1 },
    error: null,
    approval: null,
    warnings: [],
  };
  const result = (more: object) => resultOfEnvelope(JSON.stringify({ ...envelope, ...more }));

  test('of an object is text and structure, of anything else text', () => {
    expect(result({})).toMatchObject({ content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 }, isError: false });
    expect(result({ output: 'done' }).content).toEqual([{ type: 'text', text: 'done' }]);
    for (const output of ['done', [1], null]) expect(result({ output })).not.toHaveProperty('structuredContent');
  });

  test('repeats no input and no output in _meta', () => {
    expect(result({})._meta?.['dev.countersign/call']).toEqual({
      call_id: '1-x',
      status: 'succeeded',
      error: null,
      approval: null,
      warnings: [],
    });
  });

  test('says how to ask for a repeat in the words of MCP', () => {
    const warnings = [
      'answered with the result of an earlier equal call; to run the tool again, send a new request with `occurrence` (any new text)',
    ];
    expect(result({ warnings }).content[1]).toEqual({
      type: 'text',
      text: 'Note of Countersign: answered with the result of an earlier equal call; to run the tool again, send a new request with the argument `countersign_occurrence` (any new text)',
    });
  });

  test.each(['denied', 'expired', 'failed', 'in_doubt', 'cancelled'])('of a call that is %s is an error with our code', (status) => {
    const found = result({ status, output: null, error: { code: 'POLICY_DENIED', message: 'no' } });
    expect(found).toMatchObject({ isError: true, content: [{ text: `POLICY_DENIED (${status}): no` }] });
  });

  test('of a refusal has the members of the problem document', () => {
    const found = resultOfRefusal(new Refusal('unknown-case', 'there is no such case'));
    expect(found).toMatchObject({ isError: true, content: [{ text: 'VALIDATION_ERROR: there is no such case' }] });
    expect(found._meta?.['dev.countersign/call']).toMatchObject({ code: 'VALIDATION_ERROR', status: 404, retryable: false });
  });
});

describe('an origin', () => {
  const settings = (public_url?: string) => ({ origins: ['https://agents.example'], public_url });

  test.each([undefined, 'http://localhost:6274', 'http://127.0.0.1', 'http://[::1]:3000', 'https://agents.example'])(
    '%s is allowed',
    (origin) => {
      expect(isAllowedOrigin(origin, settings())).toBe(true);
    },
  );

  test.each(['null', '', 'https://evil.example', 'http://localhost.evil.example', 'https://agents.example.evil', 'http://agents.example'])(
    '%s is not allowed',
    (origin) => {
      expect(isAllowedOrigin(origin, settings())).toBe(false);
    },
  );

  test('of the loopback is not allowed where the gateway has a public URL', () => {
    expect(isAllowedOrigin('http://localhost:6274', settings('https://gate.example'))).toBe(false);
    expect(isAllowedOrigin('https://gate.example', settings('https://gate.example/base'))).toBe(true);
  });
});

describe('progress', () => {
  function reports() {
    const sent: { progress: number; message: string }[] = [];
    let now_ms = 0;
    const made = new ProgressReports(
      async ({ params }) => void sent.push(params as never),
      't',
      '1-x',
      () => now_ms,
    );
    const at = (ms: number, fraction: number) => {
      now_ms = ms;
      made.progressed({ call_id: '1-x', tenant_id: 'acme', fraction, message: `${fraction}` });
    };
    return { sent, at, made };
  }

  test('grows with each notification, and is passed on at most ten times a second', () => {
    const { sent, at } = reports();
    at(0, 0.1);
    at(50, 0.2);
    at(100, 0.3);
    at(300, 0.3);
    at(500, 0.2);
    at(700, 1);
    expect(sent.map(({ progress }) => progress)).toEqual([0.1, 0.3, 1]);
  });

  test('says nothing before policy has ruled', () => {
    const { sent, made } = reports();
    made.changed({ ruling: null } as never);
    expect(sent).toEqual([]);
  });
});
