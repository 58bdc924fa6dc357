import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monitor } from '@countersign/cli/commands/monitor';
import { verify } from '@countersign/cli/commands/verify';
import { callTopics, EventCodec, type Meta } from '@countersign/contracts';
import { type LogRecord, PrefixedEventLog } from '@countersign/event-log';
import { KafkaEventLog } from '@countersign/event-log/kafka/kafka-event-log';
import { RegisteredCodec } from '@countersign/event-log/kafka/registered-codec';
import type { Bundle } from '@countersign/evidence';
import { recordHash } from '@countersign/proofs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.js';
import { DistributedPlatform, realParts } from './distributed-platform.js';

const NOW = { prefer: 'wait=0' };
const READ_AT_ONCE = 1_000;
let platform: DistributedPlatform;
let auditor: Api;
let case_id: string;
let bundle: Bundle;

/** Calls of a case that run, wait for a person who approves or denies, fail, and read. */
beforeAll(async () => {
  platform = await DistributedPlatform.start();
  const admin = platform.admin();
  const [agent, anna] = [await admin.keyFor('agent', 'agent-1', ['agent']), await admin.keyFor('user', 'anna', ['approver'])];
  auditor = await admin.keyFor('user', 'audra', ['auditor']);
  ({ case_id } = (await agent.request<{ case_id: string }>('POST', '/v1/cases', {})).body);
  const call = (tool: string, inputs: Record<string, unknown>, headers = {}) => agent.call({ tool, inputs, case_id }, headers);
  for (const name of ['a.txt', 'b.txt']) await call('write_file', { path: name, content: 'x', mode: 'create' });
  await call('read_file', { path: 'a.txt' });
  await call('read_file', { path: 'none.txt' });
  for (const [name, vote] of [
    ['a.txt', { vote: 'approve' }],
    ['b.txt', { vote: 'deny', reason: 'no' }],
  ] as const) {
    const { body } = await call('delete_file', { path: name }, NOW);
    expect((await anna.request('POST', `/v1/approvals/${body.approval?.approval_id}/votes`, vote)).status).toBeLessThan(300);
    await agent.callUntil(body.call_id, ({ status }) => status === 'succeeded' || status === 'denied');
  }
  bundle = await completeBundle();
}, 240_000);
afterAll(() => platform?.close(), 60_000);

const counted = ({ case: of }: Bundle) => of?.steps.reduce((sum, { records }) => sum + records.length, 0) ?? 0;
const metaOf = ({ event }: Bundle['records'][number]) => (event as { meta: Meta }).meta;

/** The bundle of the case, once its newest leaf counts every record of its calls. */
async function completeBundle(): Promise<Bundle> {
  for (const end = performance.now() + 60_000; performance.now() < end; await sleep(200)) {
    const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?case_id=${case_id}`);
    if (status === 200 && body.case && counted(body) === body.records.filter((record) => metaOf(record).call_id !== null).length)
      return body;
  }
  throw new Error('no bundle has every record of the case');
}

interface Read {
  record: LogRecord;
  event_type: string;
  meta: Meta;
}

/** Every record of the topics of calls, as Kafka has it. */
async function recordsOfCalls(): Promise<Read[]> {
  const { COUNTERSIGN_TEST_KAFKA, COUNTERSIGN_TEST_REGISTRY } = realParts();
  const codec = new EventCodec();
  await new RegisteredCodec(COUNTERSIGN_TEST_REGISTRY, codec).start();
  const kafka = await KafkaEventLog.open({ brokers: COUNTERSIGN_TEST_KAFKA.split(','), client_id: 'leaves' });
  const log = new PrefixedEventLog(kafka, platform.prefix);
  const all: Read[] = [];
  try {
    for (const topic of callTopics)
      for (let partition = 0; partition < log.partitions(topic); partition++)
        for (const record of await log.read(topic, partition, 0, READ_AT_ONCE)) {
          const { event_type, event } = codec.decode(record.value);
          all.push({ record, event_type, meta: event.meta });
        }
  } finally {
    await log.close();
  }
  return all;
}

test('each event on Kafka names the leaf of the record that caused it', async () => {
  const all = await recordsOfCalls();
  const leaves = new Map(all.map(({ record, meta }) => [meta.event_id, recordHash(record).toString('base64')]));
  const causes = all.map(({ event_type, meta }) => ({ event_type, causation_id: meta.causation_id, cause_hash: meta.cause_hash }));
  for (const { event_type, causation_id, cause_hash } of causes) {
    const first = { event_type: 'tool_call_requested', causation_id: null, cause_hash: null };
    if (causation_id === null) expect({ event_type, causation_id, cause_hash }).toEqual(first);
    else expect([event_type, cause_hash]).toEqual([event_type, leaves.get(causation_id)]);
  }
  const types = new Set(causes.filter(({ cause_hash }) => cause_hash !== null).map(({ event_type }) => event_type));
  expect([...types]).toEqual(
    expect.arrayContaining(['policy_decided', 'tool_call_started', 'tool_executed', 'approval_voted', 'approval_granted']),
  );
});

test('the leaves of the tree of cases count the records that are on Kafka: its bundle is complete, and a monitor is quiet', async () => {
  const inBundle = new Set(bundle.records.map(({ topic, partition, offset }) => `${topic}/${partition}/${offset}`));
  const calls = new Set(bundle.calls.map(({ call_id }) => call_id));
  const onKafka = (await recordsOfCalls()).filter(({ meta }) => calls.has(meta.call_id as string));
  expect(onKafka.filter(({ record: { topic, partition, offset } }) => !inBundle.has(`${topic}/${partition}/${offset}`))).toEqual([]);
  expect(counted(bundle)).toBe(onKafka.length);
  const file = path.join(platform.dir, 'bundle.json');
  writeFileSync(file, JSON.stringify(bundle));
  const verified = await verify.run([file, '--vkey', bundle.vkey], {});
  expect([verified.code, verified.lines.join('\n')]).toEqual([0, expect.stringMatching(/complete up to cut \d+ \(checkpoint \d+\)/)]);
  const args = ['--vkey', bundle.vkey, '--log', platform.base, '--dir', path.join(platform.dir, 'monitor'), '--once'];
  const looked = await monitor.run(args, { COUNTERSIGN_TOKEN: auditor.key });
  expect([looked.code, looked.lines.join('\n')]).toEqual([0, expect.stringMatching(/[1-9]\d* leaves of cases recomputed$/)]);
});
