import { afterAll, beforeAll, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import { DistributedPlatform } from './distributed-platform.js';
import { order } from './journey-world.js';

const SERVICES = ['policy', 'projector', 'executor', 'gateway'];
let counterparty: Counterparty;
let platform: DistributedPlatform;

beforeAll(async () => {
  counterparty = await Counterparty.start();
  platform = await DistributedPlatform.start({ COUNTERSIGN_PROBE_URL: counterparty.url, COUNTERSIGN_KAFKA_SESSION_MS: '3000' });
});
afterAll(async () => {
  await platform?.close();
  await counterparty?.stop();
});

test('when Postgres is deleted, nothing runs again, repeats get their first result, and a pending approval can be given', async () => {
  const admin = platform.admin();
  const agent = await admin.keyFor('agent', 'agent-1', ['agent']);
  const anna = await admin.keyFor('user', 'anna', ['approver']);
  const { case_id } = (await agent.request<{ case_id: string }>('POST', '/v1/cases', {})).body;
  const inputs = Array.from({ length: 30 }, () => order());
  const send = () => Promise.all(inputs.map((each) => agent.call({ tool: 'probe_http_effect', inputs: each, case_id })));
  const first = await send();
  expect(first.map(({ body }) => body.status)).toEqual(inputs.map(() => 'succeeded'));
  const blind = { tool: 'probe_http_blind', inputs: order({ lose_answer: true }), case_id };
  expect((await agent.call(blind, { prefer: 'wait=30' })).body.status).toBe('in_doubt');
  const submitted = (await agent.call({ tool: 'probe_approval', inputs: order(), case_id })).body;
  expect(submitted.status).toBe('pending_approval');

  for (const service of SERVICES) await platform.member(service).stop('SIGKILL');
  await platform.loseDatabase();
  for (const service of SERVICES) platform.restart(service);
  await platform.ready();

  const again = await send();
  expect(again.map(({ body }) => [body.status, body.deduplicated, body.output])).toEqual(
    first.map(({ body }) => ['succeeded', true, body.output]),
  );
  expect((await agent.call(blind)).body).toMatchObject({ status: 'in_doubt', deduplicated: true });
  for (const { body } of first) expect((await agent.callUntil(body.call_id, () => true)).output).toEqual(body.output);
  const vote = await anna.request('POST', `/v1/approvals/${submitted.approval?.approval_id}/votes`, { vote: 'approve' });
  expect(vote.status).toBeLessThan(300);
  await agent.callUntil(submitted.call_id, ({ status }) => status === 'succeeded');
  expect(await counterparty.stats()).toMatchObject({ effects: 32, duplicates: [] });
});
