import 'reflect-metadata';
import { BatchDecoder, type EventBatch, type LogContext, LogTransport, OnTopic, RequeuedRecords } from '@countersign/event-log';
import { type AppDeps, NestLogger } from '@countersign/process';
import { Controller, type DynamicModule, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { AnswerReader } from './answer-reader.js';

/** Consumer group, which dead letters name. */
const GROUP = 'gateway-answers';
const BATCH_RECORDS_MAX = 500;

/** Passes what ends calls to the answer reader. Offsets are committed once their answers are durable. */
@Controller()
export class AnswersConsumer {
  constructor(
    private readonly reader: AnswerReader,
    private readonly requeued: RequeuedRecords,
  ) {}

  @OnTopic('policy-decided')
  decided(batch: EventBatch, _context: LogContext): Promise<void> {
    return this.reader.read(batch);
  }

  @OnTopic('approval-granted')
  approved(batch: EventBatch, _context: LogContext): Promise<void> {
    return this.reader.read(batch);
  }

  /** An operator's requeue stands for the record that it names. */
  @OnTopic('operator-command')
  async commanded(batch: EventBatch, _context: LogContext): Promise<void> {
    for (const at of batch.events) {
      const event = at.event_type === 'dead_letter_requeued' ? await this.requeued.eventOf(at.event) : undefined;
      if (event) await this.reader.read({ ...batch, topic: event.topic, partition: event.partition, events: [event] });
    }
  }

  @OnTopic('tool-executed')
  executed(batch: EventBatch, _context: LogContext): Promise<void> {
    return this.reader.read(batch);
  }
}

@Module({})
class AnswersModule {
  static with(reader: AnswerReader, requeued: RequeuedRecords): DynamicModule {
    const providers = [
      { provide: AnswerReader, useValue: reader },
      { provide: RequeuedRecords, useValue: requeued },
    ];
    return { module: AnswersModule, controllers: [AnswersConsumer], providers };
  }
}

/** Group `gateway-answers`: gateways share its partitions. Started with the first producer, so that it costs nothing without one. */
export class AnswersTransport {
  private app: INestMicroservice | undefined;

  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'clock' | 'logger'>,
    private readonly lanes: readonly string[],
    private readonly reader: AnswerReader,
  ) {}

  /** Does nothing if it runs. @throws InfrastructureFault if the log is unavailable */
  async start(): Promise<void> {
    if (this.app) return;
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(AnswersModule.with(this.reader, this.requeued()), {
      strategy: this.transport(),
      logger: new NestLogger(this.deps.logger),
    });
    this.app = app;
    try {
      await app.listen();
    } catch (cause) {
      this.app = undefined;
      await app.close();
      throw cause;
    }
  }

  async close(): Promise<void> {
    await this.app?.close();
  }

  private requeued(): RequeuedRecords {
    const { log, codec, schemas } = this.deps;
    return new RequeuedRecords(log, new BatchDecoder(codec, schemas), GROUP);
  }

  private transport(): LogTransport {
    const { log, codec, schemas, clock, logger } = this.deps;
    return new LogTransport({
      log,
      codec,
      group: GROUP,
      lanes: this.lanes,
      visibility: 'durable',
      batch_records_max: BATCH_RECORDS_MAX,
      now_ms: () => clock.now_ms(),
      faults: logger,
      ...(schemas ? { schemas } : {}),
      // Unreadable records are in dead-letter.
      poison: async () => undefined,
    });
  }
}
