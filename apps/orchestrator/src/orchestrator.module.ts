import { type DynamicModule, Module } from '@nestjs/common';
import { SagaPartitions } from './partitions/saga-partitions.js';
import { SagaConsumer } from './saga.consumer.js';

@Module({})
export class OrchestratorModule {
  static with(partitions: SagaPartitions): DynamicModule {
    return { module: OrchestratorModule, controllers: [SagaConsumer], providers: [{ provide: SagaPartitions, useValue: partitions }] };
  }
}
