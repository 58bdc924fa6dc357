import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Api } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

/** Bad input: every case gets a problem document, never a 5xx. */
export function describeBadInputJourneys(at: JourneyWorld): void {
  describe('bad input gets a problem document and never a 5xx', () => {
    const good = () => ({ tool: 'probe_http_effect', inputs: order() });
    const cases: [string, (api: Api) => Promise<{ status: number; body: unknown; headers: Headers }>, number][] = [
      ['malformed JSON', (api) => api.request('POST', '/v1/calls', '{"tool":'), 400],
      ['a wrong content type', (api) => api.request('POST', '/v1/calls', 'tool=x', { 'content-type': 'text/plain' }), 415],
      [
        'a body of 10 MB',
        (api) => api.request('POST', '/v1/calls', JSON.stringify({ ...good(), inputs: { note: 'x'.repeat(10_000_000) } })),
        413,
      ],
      ['an unknown tool', (api) => api.request('POST', '/v1/calls', { ...good(), tool: 'no_such_tool' }), 404],
      ['wrong types', (api) => api.request('POST', '/v1/calls', { tool: 'probe_http_effect', inputs: order({ amount: 'seven' }) }), 422],
      [
        'unknown input fields',
        (api) => api.request('POST', '/v1/calls', { tool: 'probe_http_effect', inputs: order({ surprise: 1 }) }),
        422,
      ],
      ['unknown body fields', (api) => api.request('POST', '/v1/calls', { ...good(), surprise: 1 }), 400],
      ['no token', (api) => api.as('').request('POST', '/v1/calls', good()), 401],
      ['a wrong token', (api) => api.as('cs_wrong').request('POST', '/v1/calls', good()), 401],
      [
        'a role that may not',
        (api) => api.request('POST', '/v1/keys', { tenant_id: 'default', principal: { kind: 'agent', id: 'x', roles: ['admin'] } }),
        403,
      ],
      ['a deadline in the past', (api) => api.request('POST', '/v1/calls', { ...good(), deadline: '2001-01-01T00:00:00Z' }), 422],
      [
        'inputs 10,000 levels deep',
        (api) => api.request('POST', '/v1/calls', `{"tool":"probe_http_effect","inputs":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`),
        422,
      ],
      ['a call id that is none', (api) => api.request('GET', `/v1/calls/${encodeURIComponent("1' or 1=1")}`), 404],
      ['an unknown route', (api) => api.request('GET', '/v1/nothing'), 404],
    ];
    test.each(cases)('%s', async (_, send, status) => {
      const answer = await send(at.agent);
      expect(answer).toMatchObject({ status, body: { status, code: expect.any(String), title: expect.any(String) } });
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
    });

    const expectProblem = (answer: { status: number; body: unknown; headers: Headers }, status: number, code: string) => {
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      expect([answer.status, answer.body]).toEqual([status, expect.objectContaining({ status, code, title: expect.any(String) })]);
    };

    test('a key reused with other inputs, and ids of another tenant', async () => {
      const header = { 'idempotency-key': `reused-${String(order().account)}` };
      const first = await at.agent.call({ tool: 'probe_http_effect', inputs: order() }, header);
      expect(first.body.status).toBe('succeeded');
      expectProblem(await at.agent.call({ tool: 'probe_http_effect', inputs: order() }, header), 422, 'VALIDATION_ERROR');
      await at.admin.request('POST', '/v1/tenants', { tenant_id: 'initech' });
      const stranger = await at.admin.keyFor('agent', 'spy', ['agent', 'operator'], 'initech');
      const { call_id } = first.body;
      for (const [method, path] of [
        ['GET', `/v1/calls/${call_id}`],
        ['GET', `/v1/calls/${call_id}/events`],
        ['POST', `/v1/calls/${call_id}/cancel`],
      ] as const)
        expectProblem(await stranger.request(method, path), 404, 'VALIDATION_ERROR');
    });

    test('validation errors contain JSON Pointers relative to inputs', async () => {
      const answer = await at.agent.request('POST', '/v1/calls', { tool: 'probe_http_effect', inputs: order({ amount: 'seven' }) });
      expect(JSON.stringify(answer.body)).toContain('"/amount"');
    });

    test('a path outside of the workspace is refused and changes nothing', async () => {
      mkdirSync(path.join(at.platform.workspace, 'sub'), { recursive: true });
      if (!existsSync(path.join(at.platform.workspace, 'out'))) symlinkSync('/tmp', path.join(at.platform.workspace, 'out'));
      for (const outside of ['../escape.txt', 'sub/../../escape.txt', 'out/escape.txt', '/etc/escape.txt']) {
        const answer = await at.agent.call({ tool: 'write_file', inputs: { path: outside, content: 'x', mode: 'create' } });
        expect(answer.body.status ?? 'refused').not.toBe('succeeded');
      }
      expect(existsSync('/tmp/escape.txt')).toBe(false);
    });
  });
}
