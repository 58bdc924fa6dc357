import 'reflect-metadata';
import { EventCodec, InfrastructureFault, type Meta, uuidv7 } from '@countersign/contracts';
import type { INestMicroservice } from '@nestjs/common';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventLog, LogRecord } from '../event-log.js';
import { DeadLetters } from './dead-letters.js';
import type { EventBatch, Recorded } from './event-batch.js';
import type { LogContext } from './log-context.js';
import { LogTransport } from './log-transport.js';
import { OnTopic } from './on-topic.js';

/** The test's reaction to each batch. */
const behaviour: { handle: (batch: EventBatch, ctx: LogContext) => Promise<void> } = { handle: async () => undefined };

@Controller()
class ViewedConsumer {
  @OnTopic('approval-voted')
  handle(batch: EventBatch, ctx: LogContext): Promise<void> {
    return behaviour.handle(batch, ctx);
  }
}

@Module({ controllers: [ViewedConsumer] })
class TestModule {}

const codec = new EventCodec();
let log: EventLog;
let app: INestMicroservice | undefined;
let poisoned: { offset: number; call_id: string | null | undefined; cause: string }[];
let warnings: number;
let errors: string[];
/** Runs when a poisoned call gets its terminal event. */
let ending: () => Promise<void>;

/** One log under test. */
export interface TransportFixture {
  /** Opens the same data each time. */
  open(): Promise<EventLog>;
  /** Removes the data. */
  end(): Promise<void>;
}

const meta = (call: string): Meta => ({
  event_id: uuidv7(1),
  tenant_id: 'acme',
  call_id: call,
  attempt: 1,
  causation_id: null,
  correlation_id: '',
  hlc: 1,
  partition: 0,
});
const viewed = (call: string) => ({
  topic: 'approval-voted',
  partition: 0,
  key: call,
  value: codec.encode('approval_viewed', {
    meta: meta(call),
    approval_id: 'a',
    viewer: { kind: 'user', id: 'anna', roles: [] },
    viewed_at_ms: 1,
  }),
  headers: { event_type: 'approval_viewed', traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
});
const callsOf = (batch: EventBatch) => batch.events.map((event: Recorded) => event.event.meta.call_id);

async function start(): Promise<LogTransport> {
  const transport = new LogTransport({
    log,
    codec,
    group: 'test',
    lanes: ['shared'],
    visibility: 'durable',
    batch_records_max: 500,
    now_ms: () => 7,
    faults: { warn: () => void warnings++, error: (_, message) => void errors.push(message) },
    poison: async ({ record, event }, cause) => {
      poisoned.push({ offset: record.offset, call_id: event?.event.meta.call_id, cause: String(cause) });
      await ending();
    },
  });
  app = await NestFactory.createMicroservice(TestModule, { strategy: transport, logger: false });
  await app.listen();
  return transport;
}

async function deadLetters(from = 0): Promise<{ source_offset: number; cause: string; call_id: string | null }[]> {
  const records = await log.read('dead-letter', 0, from, 100);
  return records.map((record) => {
    const { event } = codec.decode(record.value) as { event: { source_offset: number; cause: string; meta: Meta } };
    return { source_offset: event.source_offset, cause: event.cause, call_id: event.meta.call_id };
  });
}

/** What a service may rely on, the same on every log. */
export function describeLogTransport(name: string, make: () => Promise<TransportFixture>, timeout_ms = 30_000): void {
  describe(`the log transport: ${name}`, () => {
    let fixture: TransportFixture;
    beforeEach(async () => {
      fixture = await make();
      log = await fixture.open();
      await log.ensureTopics([
        { name: 'approval-voted', partitions: 1 },
        { name: 'dead-letter', partitions: 1 },
      ]);
      poisoned = [];
      errors = [];
      warnings = 0;
      ending = async () => undefined;
    }, timeout_ms);
    afterEach(async () => {
      await app?.close();
      await log.close();
      await fixture.end();
    }, timeout_ms);

    test('handlers receive batches of decoded events in order, with their position and trace', async () => {
      await log.append(['a', 'b', 'c'].map(viewed));
      const seen: EventBatch[] = [];
      behaviour.handle = async (batch) => void seen.push(batch);
      const transport = await start();
      await transport.caughtUp();
      expect(seen.flatMap(callsOf)).toEqual(['a', 'b', 'c']);
      expect(seen[0]).toMatchObject({ topic: 'approval-voted', lane: 'shared', partition: 0 });
      expect(seen[0]?.events[0]).toMatchObject({
        event_type: 'approval_viewed',
        offset: 0,
        traceparent: expect.stringContaining('4bf92f35'),
      });
    });

    test('an infrastructure fault pauses the partition and the same batch is delivered again until the fault ends', async () => {
      await log.append(['a', 'b'].map(viewed));
      const seen: (string | null)[][] = [];
      behaviour.handle = async (batch) => {
        seen.push(callsOf(batch));
        if (seen.length < 4) throw new InfrastructureFault('the store is unavailable');
      };
      await (await start()).caughtUp();
      expect(seen).toEqual(Array(4).fill(['a', 'b']));
      expect(warnings).toBe(3);
      expect(await deadLetters()).toEqual([]);
    });

    test('a fault of one record is found by halving: only that record is dead-lettered, its call ends, others are handled', async () => {
      const calls = Array.from({ length: 50 }, (_, i) => `call-${i}`);
      await log.append(calls.map(viewed));
      const handled = new Set<string | null>();
      behaviour.handle = async (batch) => {
        if (callsOf(batch).includes('call-37')) throw new Error('cannot take 37');
        for (const call of callsOf(batch)) handled.add(call);
      };
      await (await start()).caughtUp();
      expect(handled.size).toBe(49);
      expect(await deadLetters()).toEqual([{ source_offset: 37, cause: 'cannot take 37', call_id: 'call-37' }]);
      expect(poisoned).toEqual([{ offset: 37, call_id: 'call-37', cause: 'Error: cannot take 37' }]);
    });

    test('bytes that are not an event go to dead-letter and never block the partition', async () => {
      await log.append([
        viewed('a'),
        { ...viewed('x'), value: Buffer.from('not avro') },
        { ...viewed('y'), value: viewed('y').value.subarray(0, 20) },
        viewed('b'),
      ]);
      const seen: (string | null)[] = [];
      behaviour.handle = async (batch) => void seen.push(...callsOf(batch));
      await (await start()).caughtUp();
      expect(seen).toEqual(['a', 'b']);
      expect((await deadLetters()).map((letter) => letter.source_offset)).toEqual([1, 2]);
      expect(poisoned.map((record) => record.offset)).toEqual([1, 2]);
    });

    test('handled records are not delivered again after a restart; unhandled ones are', async () => {
      await log.append(['a', 'b'].map(viewed));
      behaviour.handle = async () => undefined;
      await (await start()).caughtUp();
      await app?.close();
      await log.close();
      log = await fixture.open();
      await log.append([viewed('c')]);
      const seen: (string | null)[] = [];
      behaviour.handle = async (batch) => void seen.push(...callsOf(batch));
      await (await start()).caughtUp();
      expect(seen).toEqual(['c']);
    });

    test('an infrastructure fault while a record is set aside is waited for: it is dead-lettered once, and its call ends', async () => {
      await log.append(['a', 'b'].map(viewed));
      behaviour.handle = async (batch) => {
        if (callsOf(batch).includes('a')) throw new Error('cannot take a');
      };
      ending = async () => {
        if (poisoned.length < 3) throw new InfrastructureFault('the log is unavailable');
      };
      await (await start()).caughtUp();
      expect(poisoned.map(({ offset }) => offset)).toEqual([0, 0, 0]);
      expect(await deadLetters()).toHaveLength(1);
    });

    test('a record that is read again after its offset was lost is dead-lettered once, and another consumer writes its own', async () => {
      await log.append(['a', 'b'].map(viewed));
      const [record] = (await log.read('approval-voted', 0, 0, 1)) as [LogRecord];
      await log.append([{ topic: 'dead-letter', partition: 0, key: null, value: Buffer.from('no letter'), headers: {} }]);
      for (const consumer of ['test', 'test', 'other'])
        await new DeadLetters(log, codec, consumer, () => 7).put({ record, event: undefined }, new Error('an earlier life'));
      behaviour.handle = async () => {
        throw new Error('cannot take it');
      };
      await (await start()).caughtUp();
      expect(await deadLetters(1)).toMatchObject([
        { source_offset: 0, cause: 'an earlier life' },
        { source_offset: 0, cause: 'an earlier life' },
        { source_offset: 1, cause: 'cannot take it' },
      ]);
      expect(poisoned.map(({ offset }) => offset)).toEqual([0, 1]);
    });

    test('a record whose call cannot be ended either is logged and blocks nothing', async () => {
      await log.append(['a', 'b'].map(viewed));
      const seen: (string | null)[] = [];
      behaviour.handle = async (batch) => {
        if (callsOf(batch).includes('a')) throw new Error('cannot take a');
        seen.push(...callsOf(batch));
      };
      ending = async () => {
        throw new Error('it has no call');
      };
      await (await start()).caughtUp();
      expect(seen).toEqual(['b']);
      expect(errors).toEqual(['a record was sent to dead-letter', 'the call of a dead-lettered record could not be ended']);
      expect(await deadLetters()).toHaveLength(1);
    });
  });
}
