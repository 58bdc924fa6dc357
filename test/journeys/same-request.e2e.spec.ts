import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Api } from './api.js';
import { order } from './journey-world.js';
import { TwoGateways } from './two-gateways.js';

let counterparty: Counterparty;
let platform: TwoGateways;
beforeAll(async () => {
  counterparty = await Counterparty.start();
  platform = await TwoGateways.start({ COUNTERSIGN_PACKS: 'probe', COUNTERSIGN_PROBE_URL: counterparty.url });
});
afterAll(async () => {
  await platform?.close();
  await counterparty?.stop();
});

let serial = 0;
const named = (inputs: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  tool: 'probe_http_effect',
  inputs,
  ...more,
  context: { request_id: `request-${++serial}` },
});
const effects = async () => (await counterparty.stats()).effects;

test('with empty views, one request at two gateways at once and again after its end is one call and one effect', async () => {
  const body = named(order());
  const before = await effects();
  const [one, other] = await Promise.all([platform.at(0).call(body), platform.at(1).call(body)]);
  expect([one.body.status, other.body.status]).toEqual(['succeeded', 'succeeded']);
  expect(other.body.call_id).toBe(one.body.call_id);
  const later = Promise.all([platform.at(0).call(body), platform.at(1).call(body)]);
  // Longer than a gateway waits for the view: the request is recorded again.
  await sleep(2_000);
  expect(await effects()).toBe(before + 1);
  await platform.startProjector();
  for (const { body: again } of await later)
    expect(again).toMatchObject({ status: 'succeeded', call_id: one.body.call_id, output: one.body.output });
  expect(await effects()).toBe(before + 1);
});

test('many requests, each at both gateways five times at once and again afterwards, give as many effects as requests', async () => {
  const before = await effects();
  const bodies = Array.from({ length: 40 }, () => named(order()));
  const answers = await Promise.all(
    bodies.map((body) => Promise.all([0, 1, 0, 1, 0].map((gateway) => platform.at(gateway as 0 | 1).call(body)))),
  );
  for (const five of answers) {
    expect(new Set(five.map(({ body }) => body.call_id)).size).toBe(1);
    expect(five.map(({ body }) => body.status)).toEqual(Array(5).fill('succeeded'));
  }
  for (const [nth, body] of bodies.entries()) {
    const again = await platform.at((nth % 2) as 0 | 1).call(body);
    const { call_id } = (answers[nth] as (typeof answers)[number])[0]?.body as { call_id: string };
    expect(again.body).toMatchObject({
      call_id,
      status: 'succeeded',
      deduplicated: true,
      deduplicated_because: 'same_request',
      original_call_id: call_id,
    });
  }
  expect(await effects()).toBe(before + bodies.length);
});

test('a repeated read is the same call; another request reads again', async () => {
  const body = { tool: 'probe_read', inputs: {}, context: { request_id: 'read-1' } };
  const first = (await platform.at(0).call(body)).body;
  await platform.at(0).call(named(order()));
  const again = (await platform.at(1).call(body)).body;
  expect(again).toMatchObject({
    call_id: first.call_id,
    output: first.output,
    deduplicated: true,
    deduplicated_because: 'same_request',
    effect_now: null,
  });
  const other = (await platform.at(1).call({ ...body, context: { request_id: 'read-2' } })).body;
  expect(other).toMatchObject({ deduplicated: false });
  expect(other.output).not.toEqual(first.output);
});

test('two principals, and two tenants, with one request id and equal inputs never share a call', async () => {
  const admin = platform.at(0);
  expect((await admin.request('POST', '/v1/tenants', { tenant_id: 'other' })).status).toBe(201);
  const callers: Api[] = [
    await admin.keyFor('agent', 'same-name', ['agent']),
    await admin.keyFor('agent', 'another', ['agent']),
    await admin.keyFor('service', 'same-name', ['agent']),
    await admin.keyFor('agent', 'same-name', ['agent'], 'other'),
  ];
  const body = { tool: 'probe_read', inputs: {}, context: { request_id: 'shared' } };
  const answers = await Promise.all(callers.map((caller) => caller.call(body)));
  expect(new Set(answers.map(({ body }) => body.call_id)).size).toBe(callers.length);
  expect(answers.map(({ body }) => [body.status, body.deduplicated])).toEqual(callers.map(() => ['succeeded', false]));
  // Repeating the request of another principal does not show its call.
  const again = await Promise.all(callers.map((caller) => caller.call(body)));
  expect(again.map(({ body }) => body.call_id)).toEqual(answers.map(({ body }) => body.call_id));
});

test('only its principal gets a call by its number in a run, at any gateway, as soon as it has ended', async () => {
  const owner = await platform.at(0).keyFor('agent', 'numbering', ['agent']);
  const guesser = await platform.at(0).keyFor('agent', 'guessing', ['agent']);
  for (let seq = 0; seq < 20; seq++) {
    const body = { tool: 'probe_http_effect', inputs: order(), context: { run_id: 'a run of one', seq } };
    const first = await owner.call(body);
    const guesses = await Promise.all(
      [0, 1].map((gateway) =>
        platform
          .at(gateway as 0 | 1)
          .as(guesser.key)
          .call(body),
      ),
    );
    expect([first.status, ...guesses.map(({ status }) => status)]).toEqual([200, 409, 409]);
    expect(await counterparty.effectsOf(first.body.idempotency_key)).toHaveLength(1);
  }
});

test('other inputs, another case or another occurrence under one request id are other requests', async () => {
  const inputs = order();
  const admin = platform.at(0);
  const made = await admin.request<{ case_id: string }>('POST', '/v1/cases', { title: 'one' });
  const context = { request_id: 'careless' };
  const first = (await admin.call({ tool: 'probe_http_effect', inputs, context })).body;
  const before = await effects();
  const others = [
    await admin.call({ tool: 'probe_http_effect', inputs: order(), context }),
    await admin.call({ tool: 'probe_http_effect', inputs, case_id: made.body.case_id, context }),
    await admin.call({ tool: 'probe_http_effect', inputs, occurrence: '2', context }),
  ];
  for (const { body } of others) {
    expect(body).toMatchObject({ status: 'succeeded', deduplicated: false });
    expect(body.call_id).not.toBe(first.call_id);
  }
  expect(await effects()).toBe(before + 3);
});

test('a request id never is the key: a new request with the inputs of an earlier one has no second effect', async () => {
  const inputs = order();
  const first = (await platform.at(0).call(named(inputs))).body;
  const before = await effects();
  const replanned = (await platform.at(1).call(named(inputs))).body;
  expect(replanned.idempotency_key).toBe(first.idempotency_key);
  expect(replanned.call_id).not.toBe(first.call_id);
  expect(await effects()).toBe(before);
});
