import { Module } from '@nestjs/common';
import { ProducersController } from './producers.controller.js';
import { ProducersService } from './producers.service.js';

/** Producers, which ask for calls on Kafka. */
@Module({ controllers: [ProducersController], providers: [ProducersService] })
export class ProducersModule {}
