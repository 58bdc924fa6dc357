import { type DynamicModule, Module } from '@nestjs/common';
import { ExecutorConsumer } from './executor.consumer.js';
import { Executor } from './executor.js';

@Module({})
export class ExecutorModule {
  static with(executor: Executor): DynamicModule {
    return { module: ExecutorModule, controllers: [ExecutorConsumer], providers: [{ provide: Executor, useValue: executor }] };
  }
}
