import { firstMeta } from '@countersign/contracts';
import { forgetInstance, hasPassed, projectionPosition, reportInstance } from '@countersign/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestGateway } from './testing/test-gateway.js';

let gateway: TestGateway;
let anna: string;
beforeAll(async () => {
  gateway = await TestGateway.open();
  anna = await gateway.keyFor('anna', ['approver']);
}, 60_000);
afterAll(async () => {
  await gateway.close();
}, 30_000);

const vote = (approvalId: string, body: Record<string, unknown>, key = anna) =>
  gateway.send('POST', `/v1/approvals/${approvalId}/votes`, body, {}, key);

describe('approvals', () => {
  const pendingCall = async () => (await gateway.call('ask_first')).body as { call_id: string; approval: { approval_id: string } };

  test('a counted vote returns the changed approval; a late one is 409', async () => {
    const { call_id, approval } = await pendingCall();
    const listed = await gateway.send('GET', '/v1/approvals?status=pending', undefined, {}, anna);
    expect(listed.body.items.map((item: { approval_id: string }) => item.approval_id)).toContain(approval.approval_id);
    const answer = await vote(approval.approval_id, { vote: 'approve' });
    expect(answer).toMatchObject({ status: 200, body: { status: 'granted', call: { name: 'ask_first' } } });
    expect((await gateway.send('GET', `/v1/calls/${call_id}`)).body).toMatchObject({ approval: { status: 'granted', decided_by: 'anna' } });
    expect((await vote(approval.approval_id, { vote: 'deny' })).status).toBe(409);
  });

  test('a read after a vote uses views that include the vote itself, not only its effect', async () => {
    const { call_id, approval } = await pendingCall();
    const partition = Number(call_id.split('-')[0]);
    await vote(approval.approval_id, { vote: 'approve' });
    const at = { topic: 'approval-voted', partition, offset: (await gateway.log.head('approval-voted', partition)) - 1 };
    await gateway.send('GET', '/v1/approvals?status=granted', undefined, {}, anna);
    expect(hasPassed(await projectionPosition(gateway.deps.store), [at])).toBe(true);
  });

  test('a denial ends the call with the reason', async () => {
    const { call_id, approval } = await pendingCall();
    expect((await vote(approval.approval_id, { vote: 'deny', reason: 'too dear' })).status).toBe(200);
    const call = await gateway.send('GET', `/v1/calls/${call_id}`);
    expect(call.body).toMatchObject({ status: 'denied', error: { code: 'POLICY_DENIED', message: 'denied by anna: too dear' } });
  });

  test('a vote without the right is refused, and a vote on an unknown approval is 404', async () => {
    const { approval } = await pendingCall();
    const agent = await gateway.keyFor('bot', ['agent']);
    expect((await vote(approval.approval_id, { vote: 'approve' }, agent)).status).toBe(403);
    expect((await vote(approval.approval_id, { vote: 'approve' }, gateway.key)).status).toBe(403);
    expect((await vote('app-none', { vote: 'approve' })).status).toBe(404);
    expect((await vote(approval.approval_id, { vote: 'maybe' })).status).toBe(400);
  });

  test('the read of an approval is recorded before it is shown', async () => {
    const { call_id, approval } = await pendingCall();
    const partition = Number(call_id.split('-')[0]);
    const before = await gateway.log.head('approval-voted', partition);
    expect((await gateway.send('GET', `/v1/approvals/${approval.approval_id}`, undefined, {}, anna)).status).toBe(200);
    const [viewed] = await gateway.log.read('approval-voted', partition, before, 1);
    expect(viewed?.headers.event_type).toBe('approval_viewed');
  });
});

describe('commands', () => {
  test('a waiting call is cancelled; an ended one is a 409', async () => {
    const { body } = await gateway.call('ask_first');
    const answer = await gateway.send('POST', `/v1/calls/${body.call_id}/cancel`, { reason: 'changed my mind' });
    expect(answer).toMatchObject({ status: 200, body: { status: 'cancelled', error: { code: 'CANCELLED' } } });
    expect((await gateway.send('POST', `/v1/calls/${body.call_id}/cancel`)).status).toBe(409);
  });

  test('only an operator resolves a call, and only one in doubt', async () => {
    const { body } = await gateway.call('write_note');
    const resolve = (key: string) =>
      gateway.send('POST', `/v1/calls/${body.call_id}/resolve`, { resolution: 'happened', reason: 'seen' }, {}, key);
    expect((await resolve(gateway.key)).status).toBe(409);
    expect((await resolve(anna)).status).toBe(403);
  });
});

describe('batches, streams and lists', () => {
  test('a batch returns a line per call; a call that depends on a failed one is not submitted', async () => {
    const inputs = (path: string) => ({ path, text: 'batch' });
    const calls = [
      { tool: 'write_note', inputs: inputs('b0') },
      { tool: 'fails', inputs: inputs('b1') },
      { tool: 'write_note', inputs: inputs('b2'), depends_on: [0] },
      { tool: 'write_note', inputs: inputs('b3'), depends_on: [1] },
      { tool: 'write_note', inputs: { path: 1 } },
    ];
    const answer = await gateway.send('POST', '/v1/calls:batch', { calls });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .sort((a, b) => a.index - b.index);
    expect(lines.map((line) => line.call?.status ?? line.problem.status)).toEqual(['succeeded', 'failed', 'succeeded', 424, 422]);
    expect(lines[3].problem.code).toBe('CANCELLED');
  });

  test('a batch is submitted in dependency order; cycles and unknown calls are a 422 with pointers', async () => {
    const call = (path: string, ...depends_on: number[]) => ({ tool: 'write_note', inputs: { path, text: 'order' }, depends_on });
    const send = (calls: unknown[]) => gateway.send('POST', '/v1/calls:batch', { calls });
    const forward = await send([call('o0', 2), call('o1', 0), call('o2')]);
    expect(
      forward.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).index),
    ).toEqual([2, 0, 1]);
    const pointers = async (calls: unknown[]) => {
      const { status, text } = await send(calls);
      expect(status).toBe(422);
      return JSON.parse(text).validation.issues.map((issue: { path: string }) => issue.path);
    };
    expect(await pointers([call('r0', 0)])).toEqual(['/calls/0/depends_on']);
    expect(await pointers([call('r0', 1), call('r1', 2), call('r2', 0), call('r3')])).toEqual(
      [0, 1, 2].map((at) => `/calls/${at}/depends_on`),
    );
    expect(await pointers([call('u0', 7)])).toEqual(['/calls/0/depends_on/0']);
  });

  test('with order=index the lines of a batch are in request order, though later calls end first', async () => {
    const call = (path: string, ...depends_on: number[]) => ({ tool: 'write_note', inputs: { path, text: 'index' }, depends_on });
    const calls = [call('i0', 2), { tool: 'write_note', inputs: { path: 1 } }, call('i2', 3), call('i3')];
    const indexes = async (query: string) => {
      const { status, text } = await gateway.send('POST', `/v1/calls:batch${query}`, { calls });
      expect(status).toBe(200);
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).index);
    };
    expect(await indexes('?order=index')).toEqual([0, 1, 2, 3]);
    expect((await indexes('?order=completion')).indexOf(0)).toBe(3);
    const refused = await gateway.send('POST', '/v1/calls:batch?order=size', { calls });
    expect([refused.status, refused.body.validation.issues[0].path]).toEqual([400, '/order']);
  });

  test('a call that depends on a pending call is refused', async () => {
    const calls = [
      { tool: 'ask_first', inputs: { path: 'waits', text: 'x' } },
      { tool: 'write_note', inputs: { path: 'after', text: 'x' }, depends_on: [0] },
    ];
    const { text } = await gateway.send('POST', '/v1/calls:batch', { calls }, { prefer: 'wait=0' });
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0].call.status).toBe('pending_approval');
    expect(lines[1].problem).toMatchObject({
      status: 424,
      retryable: true,
      dependency: { index: 0, call_id: lines[0].call.call_id, status: 'pending_approval' },
    });
  });

  test('events stream until the end and resume after the last one seen', async () => {
    const { body } = await gateway.call('ask_first');
    const { headers, reader } = await gateway.stream(`/v1/calls/${body.call_id}/events`);
    let text = await reader.next(); // the stream is open before the call continues
    await vote(body.approval.approval_id, { vote: 'approve' });
    for (let more = text; more !== ''; text += more) more = await reader.next();
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(text).toContain('"status":"pending_approval"');
    expect(text).toContain('"status":"succeeded"');
    const last = [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] as string;
    expect((await gateway.send('GET', `/v1/calls/${body.call_id}/events`, undefined, { 'last-event-id': last })).status).toBe(204);
  });

  test('a stream that is opened while its call ends gets the end long before the first heartbeat', async () => {
    const whole = async () => {
      const { body } = await gateway.call('write_note', {}, { prefer: 'wait=0' });
      const { reader } = await gateway.stream(`/v1/calls/${body.call_id}/events`);
      let text = '';
      for (let more = await reader.next(); more !== ''; more = await reader.next()) text += more;
      return text;
    };
    const texts = await Promise.all(Array.from({ length: 50 }, whole));
    expect(texts.filter((text) => text.includes('"status":"succeeded"'))).toHaveLength(50);
    expect(texts.filter((text) => text.includes('still here'))).toEqual([]);
  }, 60_000);

  test('lists continue at the cursor, and refuse an invalid one', async () => {
    for (let i = 0; i < 5; i++)
      await gateway.send('POST', '/v1/calls', { tool: 'write_note', inputs: { path: `l${i}`, text: '' }, context: { run_id: 'list' } });
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const page = (await gateway.send('GET', `/v1/calls?run_id=list&limit=2${cursor}`)).body;
      seen.push(...page.items.map((item: { call_id: string }) => item.call_id));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect([seen.length, new Set(seen).size]).toEqual([5, 5]);
    expect((await gateway.send('GET', '/v1/calls?cursor=!')).status).toBe(400);
    expect((await gateway.send('GET', '/v1/calls?limit=501')).status).toBe(400);
  });
});

describe('configuration', () => {
  test('tools show their contract; a blocked version is skipped', async () => {
    const tool = (await gateway.send('GET', '/v1/tools/write_note')).body;
    expect(tool.versions.map((one: { version: string }) => one.version)).toEqual(['2.0.0-beta.1', '1.3.0', '1.2.0']);
    expect(tool.versions[1]).toMatchObject({ side_effects: 'writes', default_tier: 'tier_1_auto', lifecycle: 'active' });
    const set = (state: string) => gateway.send('PUT', '/v1/tools/write_note/versions/1.3.0/lifecycle', { state });
    expect((await set('blocked')).status).toBe(200);
    expect((await gateway.call('write_note')).body.version).toBe('1.2.0');
    expect((await set('active')).status).toBe(200);
    expect((await gateway.send('GET', '/v1/tools/none')).status).toBe(404);
    expect((await gateway.send('GET', '/v1/tools?limit=2')).body.items).toHaveLength(2);
  });

  test('a policy row is set, read with its ETag, changed only with the current one, and removed', async () => {
    const url = '/v1/policies/tools/write_note';
    expect((await gateway.send('PUT', url, { tier: 'tier_2_approval_required', quorum: 2 })).status).toBe(200);
    const read = await gateway.send('GET', url);
    expect(read.body).toMatchObject({ tier: 'tier_2_approval_required', quorum: 2, approver_roles: ['approver'] });
    const tag = read.headers.get('etag') as string;
    expect((await gateway.send('PUT', url, { tier: 'tier_1_auto' }, { 'if-match': '"0"' })).status).toBe(412);
    expect((await gateway.send('DELETE', url, undefined, { 'if-match': tag })).status).toBe(204);
    expect((await gateway.send('GET', url)).status).toBe(404);
    expect((await gateway.send('PUT', url, { tier: 'tier_1_auto' }, {}, anna)).status).toBe(403);
  });

  test('a policy change is confirmed when the running instances have it: it waits for a late one', async () => {
    const expires_at_ms = Date.now() + 3_600_000;
    const until = new Date(expires_at_ms).toISOString();
    const by = { kind: 'user' as const, id: 'anna', roles: ['approver'] };
    const on = { tool: 'ask_first', version: '1.2.0', contract_digest: 'd', principal_id: 'bot', rule: 'r', mapping_version: null };
    const of = { scope: 'case' as const, case_id: 'c', run_id: null, approval_id: 'a', granted_by: ['anna'] };
    const grant = { grant_id: 'g-waited', ...on, ...of, from_ms: 1, expires_at_ms, rules: ['r'], inputs: null, uses: 1 };
    const set = { meta: firstMeta('default', Date.now()), grant, revoked: false, by, changed_at_ms: Date.now() };
    const value = gateway.deps.codec.encode('grant_set', set);
    const headers = { event_type: 'grant_set' };
    await gateway.log.append([{ topic: 'configuration-changed', partition: 0, key: 'default', value, headers }]);
    const changes: [string, string, Record<string, unknown>?][] = [
      ['PUT', '/v1/limits/waited', { kind: 'max_tool_calls', scope: 'run', max: 5 }],
      ['DELETE', '/v1/limits/waited'],
      ['POST', '/v1/vote-delegations', { to: 'bert', until }],
      ['PUT', '/v1/token-exchanges/waited', { token_endpoint: gateway.url, client_id: 'c', client_secret: 's', audience: 'a' }],
      ['DELETE', '/v1/token-exchanges/waited'],
      ['DELETE', '/v1/grants/g-waited'],
      ['PUT', '/v1/tenants/default', { running_max: 50 }],
    ];
    const late = { instance_id: 'policy-late', service: 'policy', config_offset: -1 };
    for (const [method, url, body] of changes) {
      await reportInstance(gateway.deps.store, late);
      const begun = performance.now();
      const { status } = await gateway.send(method, url, body);
      const waited = performance.now() - begun > 900;
      expect({ method, url, ok: status < 300, waited }).toEqual({ method, url, ok: true, waited: true });
    }
    await forgetInstance(gateway.deps.store, late.instance_id);
  });

  test('a case is opened, joined and closed; a closed one accepts no calls', async () => {
    const opened = await gateway.send('POST', '/v1/cases', { title: 'Refund' });
    expect(opened.status).toBe(201);
    const { case_id } = opened.body;
    const join = () => gateway.send('POST', '/v1/calls', { tool: 'write_note', inputs: { path: 'c', text: 'c' }, case_id });
    expect((await join()).body).toMatchObject({ status: 'succeeded', case_id });
    expect((await gateway.send('PATCH', `/v1/cases/${case_id}`, { state: 'closed' })).body.status).toBe('closed');
    expect((await join()).status).toBe(409);
  });
});

test('a mapping of an unknown tool is neither published nor tried, and the error lists the nearest names', async () => {
  const definition = { inputs: [] };
  const put = await gateway.send('PUT', '/v1/mappings/write_notes', definition);
  const tried = await gateway.send('POST', '/v1/mappings:try', { tool: 'write_notes', definition });
  for (const { status, body } of [put, tried])
    expect({ status, nearest: body.nearest }).toEqual({ status: 404, nearest: expect.arrayContaining(['write_note']) });
  expect((await gateway.send('POST', '/v1/mappings:try', { tool: 'write_note', definition, calls_max: 0 })).status).toBe(200);
});

test('a body that is null, absent or no object is a client error at every route with a body', async () => {
  const { paths } = (await gateway.send('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, { requestBody?: object }>>;
  };
  const taking = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => (requestBody ? [{ path, method: method.toUpperCase() }] : [])),
  );
  expect(taking).toEqual(expect.arrayContaining([{ path: '/v1/policies:simulate', method: 'POST' }]));
  for (const { path, method } of taking)
    for (const body of ['null', undefined, '7', '{"rules":[null],"bundle":null}']) {
      const { status } = await gateway.send(method, path.replaceAll(/\{\w+\}/g, 'x'), body);
      if (status === 500) throw new Error(`${method} ${path} with the body ${body} is a 500`);
    }
  for (const path of ['/v1/policies', '/v1/policies:simulate'])
    for (const body of ['null', undefined]) {
      const answer = await gateway.send('POST', path, body);
      expect({ path, body, status: answer.status }).toEqual({ path, body, status: 422 });
    }
});
