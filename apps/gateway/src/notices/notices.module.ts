import 'reflect-metadata';
import { LogTransport } from '@countersign/event-log';
import { type AppDeps, NestLogger } from '@countersign/process';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { NoticesConsumer } from './notices.consumer.js';
import { Notices } from './notices.js';

const BATCH_RECORDS_MAX = 500;
/** A notice goes by mail or webhook: nobody misses a tenth of a second. */
const PATIENCE_MS = 100;

@Module({})
class NoticesModule {
  static with(notices: Notices): DynamicModule {
    return { module: NoticesModule, controllers: [NoticesConsumer], providers: [{ provide: Notices, useValue: notices }] };
  }
}

/** Starts the reader of group `gateway-notices`: gateways share the partitions. @returns what ends it. */
export async function startNotices(deps: AppDeps, lanes: readonly string[], notices: Notices): Promise<() => Promise<void>> {
  const strategy = new LogTransport({
    log: deps.log,
    codec: deps.codec,
    group: 'gateway-notices',
    lanes,
    visibility: 'durable',
    batch_records_max: BATCH_RECORDS_MAX,
    patience_ms: PATIENCE_MS,
    now_ms: () => deps.clock.now_ms(),
    faults: deps.logger,
    ...(deps.schemas ? { schemas: deps.schemas } : {}),
    // What cannot be read is in dead-letter; nobody waits for a notice of it.
    poison: async () => undefined,
  });
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(NoticesModule.with(notices), {
    strategy,
    logger: new NestLogger(deps.logger),
  });
  await app.listen();
  return () => app.close();
}
