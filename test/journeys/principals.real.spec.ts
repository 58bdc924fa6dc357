import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PrefixedEventLog } from '@countersign/event-log';
import { KafkaEventLog } from '@countersign/event-log/kafka/kafka-event-log';
import { topicSpecs } from '@countersign/process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import { DistributedPlatform, realParts } from './distributed-platform.js';
import { order } from './journey-world.js';

const run = promisify(execFile);
const SERVICES = ['policy', 'projector', 'executor', 'orchestrator', 'gateway'];
const brokers = process.env.COUNTERSIGN_TEST_KAFKA_SASL ?? '';
const login = (name: string) => ({ COUNTERSIGN_KAFKA_USERNAME: name, COUNTERSIGN_KAFKA_PASSWORD: name });

let counterparty: Counterparty;
let platform: DistributedPlatform;

/**
 * According to docs/how-to/kafka-acls.md: an administrator creates the topics, the script sets the rules, then each service uses its own
 * name.
 */
beforeAll(async () => {
  counterparty = await Counterparty.start();
  const env = { COUNTERSIGN_PROBE_URL: counterparty.url, COUNTERSIGN_KAFKA_BROKERS: brokers };
  platform = await DistributedPlatform.create(env);
  const { prefix } = platform;
  const plain = await KafkaEventLog.open({ brokers: realParts().COUNTERSIGN_TEST_KAFKA.split(','), client_id: 'principals' });
  await new PrefixedEventLog(plain, prefix).ensureTopics(topicSpecs(['shared'], 4));
  await plain.close();
  const admin = { ...process.env, COUNTERSIGN_KAFKA_BROKERS: brokers, ...login('admin') };
  const { stdout } = await run(process.execPath, ['scripts/real/acls.mjs', '--prefix', prefix], { env: admin });
  expect(stdout).toMatch(/^\d+ rules set$/m);
  for (const service of SERVICES) await platform.add(service, service, login(service));
  await platform.ready();
});
afterAll(async () => {
  await platform?.close();
  await counterparty?.stop();
});

describe('services with only the Kafka rights of their rules', () => {
  test('a write, an approval and its history go through all of them', async () => {
    const admin = platform.admin();
    const agent = await admin.keyFor('agent', 'agent-1', ['agent']);
    const anna = await admin.keyFor('user', 'anna', ['approver']);
    const { body: opened } = await admin.request<{ case_id: string }>('POST', '/v1/cases', {});
    const written = (await agent.call({ tool: 'probe_http_effect', inputs: order(), case_id: opened.case_id })).body;
    expect(written.status).toBe('succeeded');
    const submitted = (await agent.call({ tool: 'probe_approval', inputs: order(), case_id: opened.case_id })).body;
    const vote = await anna.request('POST', `/v1/approvals/${submitted.approval?.approval_id}/votes`, { vote: 'approve' });
    expect(vote.status).toBeLessThan(300);
    await agent.callUntil(submitted.call_id, (call) => call.status === 'succeeded');
    for (const { idempotency_key } of [written, submitted]) expect(await counterparty.effectsOf(idempotency_key)).toHaveLength(1);
    const history = await admin.request<{ items: { type: string }[] }>('GET', `/v1/cases/${opened.case_id}/history`);
    const types = history.body.items.map(({ type }) => type);
    expect([types.filter((type) => type === 'tool_call_complete').length, types.includes('approval_granted')]).toEqual([2, true]);
    for (const service of SERVICES) expect(platform.member(service).output).not.toMatch(/not authorized/i);
  });
});
