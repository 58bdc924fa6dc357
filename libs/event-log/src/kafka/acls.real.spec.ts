import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { callTopics, evidenceTopics, globalTopics, isInfrastructureFault, producerTopics } from '@countersign/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyAcls, servicePrincipals, topicWriters } from './acls.js';
import { KafkaEventLog } from './kafka-event-log.js';
import { numberedRecord } from './testing/numbered-records.js';

const brokers = String(process.env.COUNTERSIGN_TEST_KAFKA_SASL).split(',');
const topic_prefix = `acl-${randomUUID().slice(0, 8)}-`;
const topics = [...callTopics, ...globalTopics, ...evidenceTopics];
/** A broker enforces rules some time after it accepts them: tests are valid only once this service's own topics accept its writes. */
async function untilEnforced(principal: (typeof servicePrincipals)[number]): Promise<void> {
  const log = await KafkaEventLog.open(as(principal));
  for (const topic of topics.filter((name) => topicWriters[name].includes(principal))) {
    const record = numberedRecord(topic_prefix + topic, 0, principal);
    const written = () => log.append([record]).then(Array.isArray, () => false);
    for (const end = performance.now() + 30_000; performance.now() < end && !(await written()); ) await sleep(100);
  }
  await log.close();
}

const as = (username: string) => ({
  brokers,
  client_id: username,
  sasl: { mechanism: 'plain' as const, username, password: username },
  append_timeout_ms: 5_000,
  send_retries: 1,
});

describe('a broker with an authorizer', () => {
  let admin: KafkaEventLog;

  beforeAll(async () => {
    admin = await KafkaEventLog.open(as('admin'));
    await admin.ensureTopics(topics.map((name) => ({ name: topic_prefix + name, partitions: 1 })));
    await applyAcls(as('admin'), { lanes: [], topic_prefix });
    await Promise.all(servicePrincipals.map(untilEnforced));
  }, 90_000);

  afterAll(() => admin.close(), 30_000);

  test.each(servicePrincipals)(
    '%s can write the topics that it owns and no other',
    async (principal) => {
      const log = await KafkaEventLog.open(as(principal));
      for (const topic of topics) {
        const allowed = topicWriters[topic].includes(principal);
        const outcome = await log.append([numberedRecord(topic_prefix + topic, 0, principal)]).catch((error: unknown) => error);
        expect([topic, Array.isArray(outcome) ? 'written' : isInfrastructureFault(outcome) && 'refused']).toEqual([
          topic,
          allowed ? 'written' : 'refused',
        ]);
      }
      await log.close();
    },
    120_000,
  );

  test('only the gateway can delete old records, and only if enabled; carried topics never', async () => {
    const dropOf = async (principal: string, name: string) => {
      const log = await KafkaEventLog.open(as(principal));
      const terms = { below: (topic: string) => (topic === topic_prefix + name ? 1 : 0), carries: () => false };
      const outcome = await log.drop(terms).catch((error: unknown) => isInfrastructureFault(error) && 'refused');
      await log.close();
      return outcome;
    };
    expect(await dropOf('gateway', 'tool-call-requested')).toBe('refused');
    await applyAcls(as('admin'), { lanes: [], topic_prefix, log_drops: true });
    let dropped: unknown = 'refused';
    for (const end = performance.now() + 30_000; dropped === 'refused' && performance.now() < end; await sleep(100))
      dropped = await dropOf('gateway', 'tool-call-requested');
    expect(dropped).toEqual({ segments: 1, bytes: 0 });
    expect(await dropOf('gateway', 'operator-command')).toBe('refused');
    expect(await dropOf('gateway', 'checkpoint-signed')).toBe('refused');
    expect(await dropOf('policy', 'policy-decided')).toBe('refused');
  }, 60_000);

  test('a service reads in its group, and a principal without rules sees nothing', async () => {
    await admin.append([numberedRecord(`${topic_prefix}policy-decided`, 0, 'ruling')]);
    const executor = await KafkaEventLog.open(as('executor'));
    let came = () => {};
    const ruling = new Promise<void>((resolve) => {
      came = resolve;
    });
    await executor.subscribe({
      group: `${topic_prefix}executor`,
      topics: [`${topic_prefix}policy-decided`],
      visibility: 'durable',
      batch_records_max: 10,
      onBatch: async () => came(),
    });
    await ruling;
    await executor.close();
    const upstream = await KafkaEventLog.open(as('upstream'));
    await expect(upstream.read(`${topic_prefix}policy-decided`, 0, 0, 1)).rejects.toMatchObject({ countersign_fault: 'infrastructure' });
    await upstream.close();
  }, 60_000);

  test('a producer writes its own requests and reads its own answers; only the gateway does the reverse', async () => {
    const [own, other] = [producerTopics('acme'), producerTopics('other')];
    const producers = [{ producer_id: 'acme', user: 'upstream' }];
    const names = [own.requests, own.answers, other.requests, other.answers];
    await admin.ensureTopics(names.map((name) => ({ name: topic_prefix + name, partitions: 1 })));
    await admin.append(names.map((name) => numberedRecord(topic_prefix + name, 0, 'x')));
    await applyAcls(as('admin'), { lanes: [], topic_prefix, producers });
    const rightsOf = async (user: string, topics: readonly string[]) => {
      const log = await KafkaEventLog.open(as(user));
      const rights: Record<string, string> = {};
      for (const name of topics) {
        const reads = await log.read(topic_prefix + name, 0, 0, 1).then(
          () => 'r',
          () => '-',
        );
        const writes = await log.append([numberedRecord(topic_prefix + name, 0, user)]).then(
          () => 'w',
          () => '-',
        );
        rights[name] = reads + writes;
      }
      await log.close();
      return rights;
    };
    const end = performance.now() + 30_000;
    while ((await rightsOf('upstream', [own.requests]))[own.requests] !== '-w' && performance.now() < end) await sleep(100);
    expect(await rightsOf('upstream', [...names, 'tool-executed', 'tool-call-requested'])).toEqual({
      [own.requests]: '-w',
      [own.answers]: 'r-',
      [other.requests]: '--',
      [other.answers]: '--',
      'tool-executed': '--',
      'tool-call-requested': '--',
    });
    expect(await rightsOf('gateway', [own.requests, own.answers])).toEqual({ [own.requests]: 'r-', [own.answers]: '-w' });
    expect(await rightsOf('executor', [own.requests, own.answers])).toEqual({ [own.requests]: '--', [own.answers]: '--' });
  }, 120_000);
});
