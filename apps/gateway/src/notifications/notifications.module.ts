import 'reflect-metadata';
import { LogTransport } from '@countersign/event-log';
import { type AppDeps, NestLogger } from '@countersign/process';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { NotificationReader } from './notification-reader.js';
import { NotificationsConsumer } from './notifications.consumer.js';

/** Consumer group, which dead letters name. */
export const NOTIFICATION_GROUP = 'gateway-notices';
const BATCH_RECORDS_MAX = 500;
/** Mail and webhooks tolerate a delay of a tenth of a second. */
const MAX_DELAY_MS = 100;

@Module({})
class NotificationsModule {
  static with(reader: NotificationReader): DynamicModule {
    return {
      module: NotificationsModule,
      controllers: [NotificationsConsumer],
      providers: [{ provide: NotificationReader, useValue: reader }],
    };
  }
}

/** Starts the reader of group `gateway-notices`; gateways share its partitions. @returns a function that stops it. */
export async function startNotifications(
  deps: AppDeps,
  lanes: readonly string[],
  reader: NotificationReader,
): Promise<() => Promise<void>> {
  const strategy = new LogTransport({
    log: deps.log,
    codec: deps.codec,
    group: NOTIFICATION_GROUP,
    lanes,
    visibility: 'durable',
    batch_records_max: BATCH_RECORDS_MAX,
    max_delay_ms: MAX_DELAY_MS,
    now_ms: () => deps.clock.now_ms(),
    faults: deps.logger,
    ...(deps.schemas ? { schemas: deps.schemas } : {}),
    // Unreadable records are in dead-letter; they need no notification.
    poison: async () => undefined,
  });
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(NotificationsModule.with(reader), {
    strategy,
    logger: new NestLogger(deps.logger),
  });
  await app.listen();
  return () => app.close();
}
