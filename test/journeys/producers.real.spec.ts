import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Api } from './api.js';
import { freePort } from './child-process.js';
import { DistributedPlatform, realParts } from './distributed-platform.js';
import { OutsideProducer } from './outside-producer.js';
import { runExample } from './producer-examples.js';

const { AssignerProtocol, CompressionTypes } = kafkajs;
const MANY = 10_000;
let counterparty: Counterparty;
let platform: DistributedPlatform;
let admin: Api;
let acme: OutsideProducer;

const effect = (account: string) => ({ tool: 'probe_http_effect', inputs: { account, amount: 1, note: 'produced' } });
const requests = (count: number) => Array.from({ length: count }, () => ({ request_id: randomUUID(), ...effect(randomUUID()) }));
const idsOf = (asked: readonly { request_id: string }[]) => asked.map(({ request_id }) => request_id);
const effectsNow = async () => (await counterparty.stats()).effects;

async function register(producer_id: string, more: object = {}): Promise<OutsideProducer> {
  const principal = { kind: 'agent', id: `bot-${producer_id}`, roles: ['agent'] };
  const made = await admin.request('POST', '/v1/producers', { producer_id, principal, ...more });
  expect([made.status, made.body]).toEqual([201, expect.anything()]);
  return OutsideProducer.open(realParts().COUNTERSIGN_TEST_KAFKA, platform.prefix, producer_id);
}

beforeAll(async () => {
  counterparty = await Counterparty.start();
  platform = await DistributedPlatform.start({ COUNTERSIGN_PROBE_URL: counterparty.url });
  admin = platform.admin();
  acme = await register('acme');
}, 240_000);
afterAll(async () => {
  await acme?.close();
  await platform?.close();
  await counterparty.stop();
}, 60_000);

describe('producers on Kafka', () => {
  test.each(['javascript', 'python'] as const)(
    'the example in %s asks for a call and gets its answer, or the reason why not',
    async (language) => {
      const env = {
        KAFKA_BROKERS: realParts().COUNTERSIGN_TEST_KAFKA,
        SCHEMA_REGISTRY_URL: realParts().COUNTERSIGN_TEST_REGISTRY,
        TOPIC_PREFIX: platform.prefix,
        PRODUCER_ID: 'acme',
      };
      const inputs = { path: `${language}.txt`, content: 'produced', mode: 'create' };
      const answer = await runExample(language, env, { tool: 'write_file', inputs });
      expect(answer).toMatchObject({ name: 'write_file', status: 'succeeded', input: inputs, principal: { id: 'bot-acme' } });
      expect((await admin.request('GET', `/v1/calls/${answer.call_id}`)).body).toMatchObject({ call_id: answer.call_id });
      expect(await runExample(language, env, { tool: 'no_such_tool', inputs: {} })).toMatchObject({
        status: 404,
        reason: 'tool_not_found',
      });
    },
    400_000,
  );

  test('records of 10 MB do not reach the gateway; compressed and unreadable ones are refused one by one', async () => {
    const big = { value: Buffer.alloc(10 * 1024 * 1024, 0x20) };
    await expect(acme.send([big])).rejects.toThrow(/size|large/i);
    await expect(acme.send([big], CompressionTypes.GZIP)).rejects.toThrow(/size|large/i);
    const before = acme.answers.length;
    const unknown_schema = Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 2, 4]);
    const values = [
      unknown_schema,
      Buffer.alloc(1_200_000, 0x20),
      null,
      Buffer.from('[[[['),
      Buffer.from([0, 1]),
      Buffer.from([255, 0, 9]),
    ];
    for (const value of values) await acme.send([{ value, partition: 0 }], CompressionTypes.GZIP);
    const [asked] = [requests(1)];
    await acme.ask(asked);
    await acme.answersTo(idsOf(asked));
    await vi.waitFor(
      () => expect(acme.answers.slice(before).filter(({ event_type }) => event_type === 'tool_call_refused')).toHaveLength(6),
      20_000,
    );
    const letters = await admin.request<{ items: { topic: string }[] }>('GET', '/v1/dead-letters?limit=100');
    expect(letters.body.items.filter(({ topic }) => topic === 'tool-call-requested.from.acme').length).toBeGreaterThanOrEqual(6);
  }, 90_000);

  test('a gateway that dies between the record and the commit reads the record again: one effect, and its answer', async () => {
    const before = await effectsNow();
    await platform.member('gateway').stop('SIGTERM');
    platform.restart('gateway', { COUNTERSIGN_CRASH_AT: 'gateway.after_request' });
    await platform.ready('gateway');
    const asked = requests(5);
    await acme.ask(asked);
    expect(await platform.member('gateway').exit()).toBe('SIGKILL');
    platform.restart('gateway');
    const answers = await acme.answersTo(idsOf(asked));
    expect(answers.map(({ body }) => body.status)).toEqual(asked.map(() => 'succeeded'));
    expect((await effectsNow()) - before).toBe(5);
    expect((await counterparty.stats()).duplicates).toEqual([]);
  }, 180_000);

  test('calls that end while no gateway runs are answered by the next one', async () => {
    await platform.ready('gateway');
    const asked = requests(20).map((one) => ({ ...one, inputs: { ...one.inputs, delay_ms: 900 } }));
    await acme.ask(asked);
    await vi.waitFor(async () => {
      const { body } = await admin.request<{ items: unknown[] }>('GET', '/v1/calls?tool=probe_http_effect&status=running&limit=50');
      expect(body.items.length).toBeGreaterThan(0);
    }, 30_000);
    await platform.member('gateway').stop('SIGKILL');
    await sleep(3_000);
    platform.restart('gateway');
    expect((await acme.answersTo(idsOf(asked))).map(({ body }) => body.status)).toEqual(asked.map(() => 'succeeded'));
  }, 180_000);

  test('two gateways share the partitions, one reads each; when one dies, the other takes over', async () => {
    await platform.ready('gateway');
    await platform.add('gateway-2', 'gateway', { COUNTERSIGN_PORT: String(await freePort()) });
    const held = async () => {
      const { groups } = await acme.kafka.admin().describeGroups([`${platform.prefix}gateway-producers.acme`]);
      return (groups[0]?.members ?? []).map(({ memberAssignment }) =>
        Object.values(AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment ?? {}).flat(),
      );
    };
    await vi.waitFor(async () => {
      const members = await held();
      expect([members.length, members.flat().sort()]).toEqual([2, [0, 1, 2, 3]]);
      expect(members.every((numbers) => numbers.length === 2)).toBe(true);
    }, 60_000);
    const before = await effectsNow();
    const asked = requests(60);
    await acme.ask(asked.slice(0, 30));
    await platform.member('gateway-2').stop('SIGKILL');
    await acme.ask(asked.slice(30));
    expect((await acme.answersTo(idsOf(asked))).every(({ body }) => body.status === 'succeeded')).toBe(true);
    expect((await effectsNow()) - before).toBe(60);
    expect((await counterparty.stats()).duplicates).toEqual([]);
  }, 180_000);

  test('10,000 records of one tenant leave others their share', async () => {
    await admin.request('POST', '/v1/tenants', { tenant_id: 'flood', in_flight_max: 20 });
    const flood = await register('flood', { tenant_id: 'flood' });
    const asked = requests(MANY);
    for (let at = 0; at < MANY; at += 1_000) await flood.ask(asked.slice(at, at + 1_000));
    await vi.waitFor(() => expect(flood.answers.length).toBeGreaterThan(20), 30_000);
    // Machines differ in speed: what counts is how many calls of the flood are answered while one of another tenant waits.
    const overtaken: number[] = [];
    for (let n = 0; n < 10; n++) {
      const [one, before] = [requests(1), flood.answers.length];
      await acme.ask(one);
      await acme.answersTo(idsOf(one));
      overtaken.push(flood.answers.length - before);
    }
    expect(overtaken.every((count) => count < MANY / 20)).toBe(true);
    expect(flood.answers.length).toBeLessThan(MANY);
    expect((await admin.request('DELETE', '/v1/producers/flood')).status).toBe(204);
    await flood.close();
  }, 240_000);
});
