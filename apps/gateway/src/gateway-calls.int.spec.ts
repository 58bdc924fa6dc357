import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleContract } from '@countersign/calls/testing/samples';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashApiKey, mintApiKey } from './authentication/api-key.js';
import { TestGateway } from './testing/test-gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.open();
}, 60_000);
afterAll(async () => {
  await gateway.close();
}, 30_000);

describe('POST /v1/calls', () => {
  test('returns the ended call as its envelope, and GET returns the same', async () => {
    const answer = await gateway.call('write_note', { note: 'é' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ name: 'write_note', version: '1.3.0', status: 'succeeded', error: null, deduplicated: false });
    expect(answer.body.output).toEqual(answer.body.input);
    expect(answer.headers.get('countersign-position')).toMatch(/^tool-call-requested:\d:\d+,tool-executed:\d:\d+$/);
    const read = await gateway.send('GET', `/v1/calls/${answer.body.call_id}`);
    expect(read.body).toEqual({ ...answer.body, effect_now: 'unknown' });
  });

  test('returns a denial, a failure or an unknown outcome', async () => {
    expect((await gateway.call('never')).body).toMatchObject({ status: 'denied', error: { code: 'POLICY_DENIED' } });
    expect((await gateway.call('fails')).body).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_ERROR' } });
    expect((await gateway.call('doubtful')).body).toMatchObject({ status: 'in_doubt', error: { code: 'IN_DOUBT' } });
  });

  test('a call that waits for a person gets 202 at once, with its URL', async () => {
    const answer = await gateway.call('ask_first');
    expect(answer.status).toBe(202);
    expect(answer.headers.get('location')).toBe(`/v1/calls/${answer.body.call_id}`);
    expect(answer.body).toMatchObject({
      status: 'pending_approval',
      approval: { approval_id: `app-${answer.body.call_id}`, status: 'pending' },
    });
  });

  test('there is no response before the decision; without one the caller learns that the call is recorded', async () => {
    const answer = await gateway.call('unruled', {}, { prefer: 'wait=0' });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect(answer.headers.get('location')).toBe(`/v1/calls/${answer.body.call_id}`);
    expect((await gateway.send('GET', `/v1/calls/${answer.body.call_id}`)).body.status).toBe('pending_policy');
  }, 20_000);

  test('versions: newest release unless named, ranges, and pins', async () => {
    const version = async (wanted: string) =>
      (await gateway.send('POST', '/v1/calls', { tool: 'write_note', version: wanted, inputs: { path: wanted, text: 'v' } })).body;
    expect((await version('1.2.0')).version).toBe('1.2.0');
    expect((await version('^1.0.0')).version).toBe('1.3.0');
    expect((await version('2.0.0-beta.1')).version).toBe('2.0.0-beta.1');
    expect(await version('3.0.0')).toMatchObject({ status: 404, known_versions: ['2.0.0-beta.1', '1.3.0', '1.2.0'] });
    expect(await version('latest')).toMatchObject({ status: 400 });
  });

  test('a repeat of a call with the same id is the same call, recorded once, and marked as a repeat', async () => {
    const body = { tool: 'write_note', inputs: { path: 'numbered', text: 'x' }, context: { run_id: 'run-1', seq: 7 } };
    const first = await gateway.send('POST', '/v1/calls', body);
    expect(first.body).toMatchObject({ deduplicated: false, deduplicated_because: null, original_call_id: null, effect_now: null });
    const again = await gateway.send('POST', '/v1/calls', body);
    const { call_id } = first.body;
    const repeat = { deduplicated: true, deduplicated_because: 'same_request', original_call_id: call_id, effect_now: 'unknown' };
    expect(again.body).toEqual({ ...first.body, ...repeat, warnings: [expect.stringContaining('occurrence')] });
    const other = await gateway.send('POST', '/v1/calls', { ...body, context: { run_id: 'run-1', seq: 8 } });
    expect(other.body.call_id).not.toBe(first.body.call_id);
  });

  test('a repeat is answered after its deadline too; a request that arrives after it is refused', async () => {
    const body = {
      tool: 'write_note',
      inputs: { path: 'in time', text: 'x' },
      deadline: new Date(Date.now() + 1_500).toISOString(),
      callback_url: 'http://127.0.0.1:9/nowhere',
      context: { request_id: 'in-time' },
    };
    const first = await gateway.send('POST', '/v1/calls', body);
    expect(first.body.status).toBe('succeeded');
    await sleep(1_600);
    const again = await gateway.send('POST', '/v1/calls', body);
    expect(again.body).toMatchObject({ call_id: first.body.call_id, status: 'succeeded', deduplicated_because: 'same_request' });
    for (let i = 0; i < 2; i++) {
      const late = await gateway.send('POST', '/v1/calls', { ...body, context: { request_id: 'too-late' } });
      expect([late.status, late.body.type]).toEqual([422, expect.stringContaining('deadline-passed')]);
    }
  });

  test('a repeat withholds what its caller is no longer cleared for', async () => {
    const contract = sampleContract({ name: 'marked_note', markings: ['secret'] });
    await gateway.parts.standIn.register(contract);
    const made = await gateway.send('POST', '/v1/keys', {
      principal: { kind: 'agent', id: 'uncleared', roles: ['agent'] },
      clearances: [],
    });
    const body = { tool: 'marked_note', inputs: { path: 'm', text: 'hidden' }, context: { request_id: 'marked' } };
    await gateway.send('POST', '/v1/calls', body, {}, made.body.key);
    const again = await gateway.send('POST', '/v1/calls', body, {}, made.body.key);
    expect(again.body).toMatchObject({ deduplicated_because: 'same_request', withheld: ['secret'], output: null, input: null });
  });

  test('the id of a call in a run is answered only to its principal', async () => {
    const body = { tool: 'read_note', inputs: { path: 'p', text: 'for the first only' }, context: { run_id: 'run-of-one', seq: 1 } };
    const first = await gateway.send('POST', '/v1/calls', body);
    expect(first.body.status).toBe('succeeded');
    const made = await gateway.send('POST', '/v1/keys', { principal: { kind: 'agent', id: 'curious', roles: ['agent'] } });
    const other = await gateway.send('POST', '/v1/calls', body, {}, made.body.key);
    expect([other.status, other.body.detail]).toEqual([409, expect.stringContaining('another principal')]);
    expect(other.text).not.toContain('for the first only');
    expect((await gateway.send('POST', '/v1/calls', body)).body).toMatchObject({ deduplicated_because: 'same_request' });
  });

  test('many concurrent calls each get their own response', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => gateway.call('write_note', { text: `${i}` })));
    expect(answers.map((answer) => answer.body.output?.text)).toEqual(Array.from({ length: 100 }, (_, i) => `${i}`));
    expect(new Set(answers.map((answer) => answer.body.call_id)).size).toBe(100);
  });
});

describe('a refusal is a problem document', () => {
  const note = { tool: 'write_note', inputs: { path: 'a', text: 'b' } };
  const bad: [string, () => Promise<{ status: number; body: Record<string, unknown>; headers: Headers }>, number][] = [
    ['malformed JSON', () => gateway.send('POST', '/v1/calls', '{"tool":'), 400],
    ['another content type', () => gateway.send('POST', '/v1/calls', 'a=b', { 'content-type': 'text/plain' }), 415],
    ['no content type', () => gateway.send('POST', '/v1/calls', '{}', { 'content-type': '' }), 415],
    ['a body over 1 MB', () => gateway.call('write_note', { text: 'x'.repeat(1_100_000) }), 413],
    ['a body that is no object', () => gateway.send('POST', '/v1/calls', '[]'), 400],
    ['a prototype in the body', () => gateway.send('POST', '/v1/calls', '{"tool":"write_note","inputs":{"__proto__":{}}}'), 400],
    ['an unknown field', () => gateway.send('POST', '/v1/calls', { ...note, extra: 1 }), 400],
    ['an unknown tool', () => gateway.call('nothing'), 404],
    ['an unknown input', () => gateway.call('write_note', { extra: 1 }), 422],
    ['a wrong type', () => gateway.call('write_note', { text: 1 }), 422],
    ['half a character', () => gateway.send('POST', '/v1/calls', '{"tool":"write_note","inputs":{"path":"\\ud800","text":""}}'), 422],
    ['a past deadline', () => gateway.send('POST', '/v1/calls', { ...note, deadline: '2020-01-01T00:00:00Z' }), 422],
    ['an unknown case', () => gateway.send('POST', '/v1/calls', { ...note, case_id: 'case_x' }), 404],
    ['a callback that is no URL', () => gateway.send('POST', '/v1/calls', { ...note, callback_url: 'nonsense' }), 422],
    ['no token', () => gateway.call('write_note', {}, { authorization: '' }), 401],
    ['an unknown token', () => gateway.call('write_note', {}, {}, `csk_${'A'.repeat(43)}`), 401],
    ['an unknown path', () => gateway.send('GET', '/v1/unknown'), 404],
    ['an id that is none', () => gateway.send('GET', '/v1/calls/9'), 404],
  ];
  test('a client that is still sending a body that is too large gets the response, not a broken connection', async () => {
    for (let i = 0; i < 10; i++) expect((await gateway.call('write_note', { text: 'x'.repeat(10_000_000) })).status).toBe(413);
  });

  test.each(bad)('%s', async (_name, send, status) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.body).toMatchObject({
      status,
      code: expect.any(String),
      title: expect.any(String),
      instance: expect.stringMatching(/^\/v1/),
    });
  });

  test('issues carry JSON Pointers relative to the inputs', async () => {
    const { body } = await gateway.call('write_note', { path: 7, extra: 1 });
    expect(body.validation).toMatchObject({
      layer: 'input',
      issues: expect.arrayContaining([expect.objectContaining({ path: '/path' }), expect.objectContaining({ path: '/extra' })]),
    });
  });

  test('10,000 levels of nesting', async () => {
    const deep = `{"tool":"write_note","inputs":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`;
    expect((await gateway.send('POST', '/v1/calls', deep)).status).toBe(422);
  });
});

test('a call that lagging views lack is a 503, never a 404, and lists report the lag', async () => {
  await gateway.parts.views.close();
  const { body } = await gateway.call('write_note');
  const read = await gateway.send('GET', `/v1/calls/${body.call_id}`);
  expect(read.status).toBe(503);
  expect(read.headers.get('retry-after')).not.toBeNull();
  for (const list of ['calls', 'cases', 'approvals', 'security-events', 'sagas', 'approvals/quality']) {
    const { status, headers } = await gateway.send('GET', `/v1/${list}`);
    expect([list, status, headers.get('countersign-views')]).toEqual([list, 200, 'behind']);
  }
  await gateway.parts.views.start();
  expect((await gateway.send('GET', `/v1/calls/${body.call_id}`, undefined, { prefer: 'wait=30' })).status).toBe(200);
  expect((await gateway.send('GET', '/v1/calls')).headers.get('countersign-views')).toBeNull();
});

describe('keys and tenants', () => {
  test('the first start stored the admin key, readable by its owner only, and put no key on the log', async () => {
    expect((await gateway.adminKeyFile()).trim()).toBe(gateway.key);
    expect(statSync(path.join(gateway.dir, 'admin.key')).mode & 0o777).toBe(0o600);
    const records = await gateway.log.read('configuration-changed', 0, 0, 500);
    expect(records.length).toBeGreaterThan(1);
    expect(records.some((record) => record.value.includes(gateway.key))).toBe(false);
  });

  test('a new key works at once, within its roles and scopes, and a revoked one no longer does', async () => {
    const made = await gateway.send('POST', '/v1/keys', {
      principal: { kind: 'agent', id: 'bot', roles: ['agent'] },
      scopes: ['mail:send'],
    });
    expect(made.status).toBe(201);
    const { key, key_id } = made.body;
    expect((await gateway.call('write_note', {}, {}, key)).status).toBe(200);
    const { call_id } = (await gateway.call('read_note', {}, {}, key)).body; // the policy service decides whether it has the scope
    const requested = (await gateway.events('tool-call-requested')).find((event) => event.meta.call_id === call_id);
    expect(requested.call.authority).toMatchObject({ agent_token_ref: `key:${key_id}`, scopes: ['mail:send'] });
    expect((await gateway.send('GET', '/v1/keys', undefined, {}, key)).status).toBe(403);
    expect((await gateway.send('GET', '/v1/keys')).text).not.toContain(key);
    expect((await gateway.send('DELETE', `/v1/keys/${key_id}`)).status).toBe(204);
    expect((await gateway.call('write_note', {}, {}, key)).status).toBe(401);
  });

  test.each(['two\nlines', '\u0085', 'bell\u0007', '\u2028', '\ud800'])(
    'no principal is made with the id %j; one on the log is read',
    async (id) => {
      const principal = { kind: 'agent', id, roles: ['agent'] };
      const bad = await gateway.send('POST', '/v1/keys', { principal, owner: id });
      expect(bad).toMatchObject({ status: 400, body: { validation: { issues: [{ path: '/principal/id' }, { path: '/owner' }] } } });
      expect(bad.body.detail).toContain('must not contain control characters');
      expect((await gateway.send('POST', '/v1/delegations', { agent_id: id })).body.validation.issues[0].path).toBe('/agent_id');
      const recorded = (await gateway.events('configuration-changed')).find((event) => event.key_hash !== undefined && 'scopes' in event);
      const key = mintApiKey();
      const legacy = {
        ...recorded,
        key_id: `legacy-${id.charCodeAt(0)}`,
        key_hash: hashApiKey(key),
        principal,
        owner: null,
        only_if_first: false,
      };
      const value = gateway.deps.codec.encode('api_key_set', legacy);
      const headers = { event_type: 'api_key_set' };
      await gateway.log.append([{ topic: 'configuration-changed', partition: 0, key: legacy.meta.tenant_id, value, headers }]);
      await gateway.send('POST', '/v1/cases', {}); // this case is folded after the key record
      expect((await gateway.call('write_note', {}, {}, key)).body).toMatchObject({ status: 'succeeded', principal: { kind: 'agent' } });
      const { items } = (await gateway.send('GET', '/v1/keys?limit=500')).body;
      expect(items).toContainEqual(expect.objectContaining({ key_id: legacy.key_id }));
    },
  );

  test('calls of another tenant are the same 404 as unknown ones, and its admin sees only its own', async () => {
    expect((await gateway.send('POST', '/v1/tenants', { tenant_id: 'globex', in_flight_max: 1 })).status).toBe(201);
    expect((await gateway.send('POST', '/v1/tenants', { tenant_id: 'globex' })).status).toBe(409);
    const spy = await gateway.keyFor('spy', ['admin'], { tenant_id: 'globex' });
    const { body } = await gateway.call('write_note');
    const absent = `${body.call_id.slice(0, -12)}000000000000`;
    const strip = (text: string) => text.replaceAll(body.call_id, 'ID').replaceAll(absent, 'ID');
    const same = { 'x-request-id': 'spy-request' };
    for (const tail of ['', '/events']) {
      const foreign = await gateway.send('GET', `/v1/calls/${body.call_id}${tail}`, undefined, same, spy);
      const missing = await gateway.send('GET', `/v1/calls/${absent}${tail}`, undefined, same, spy);
      expect(foreign).toMatchObject({ status: 404 });
      expect(strip(foreign.text)).toBe(strip(missing.text));
    }
    expect((await gateway.send('POST', `/v1/calls/${body.call_id}/cancel`, {}, {}, spy)).status).toBe(404);
    expect((await gateway.send('GET', '/v1/calls', undefined, {}, spy)).body.items).toEqual([]);
    expect((await gateway.send('GET', '/v1/tenants', undefined, {}, spy)).body.items).toHaveLength(1);
    expect((await gateway.send('POST', '/v1/tenants', { tenant_id: 'x' }, {}, spy)).status).toBe(403);
    expect(
      (await gateway.send('POST', '/v1/keys', { tenant_id: 'default', principal: { kind: 'user', id: 'x', roles: ['admin'] } }, {}, spy))
        .status,
    ).toBe(404);
  });

  test('beyond its cap a tenant gets 429 until one of its calls ends, also after a restart', async () => {
    const key = await gateway.keyFor('bot', ['agent', 'operator'], { tenant_id: 'globex' });
    const waiting = await gateway.call('ask_first', {}, {}, key);
    expect(waiting.status).toBe(202);
    const capped = await gateway.call('write_note', {}, {}, key);
    expect(capped.status).toBe(429);
    expect(capped.headers.get('retry-after')).not.toBeNull();
    await gateway.restart();
    expect((await gateway.call('write_note', {}, {}, key)).status).toBe(429);
    expect((await gateway.send('POST', `/v1/calls/${waiting.body.call_id}/cancel`, { reason: 'enough' }, {}, key)).body.status).toBe(
      'cancelled',
    );
    expect((await gateway.call('write_note', {}, {}, key)).status).toBe(200);
  }, 20_000);
});
