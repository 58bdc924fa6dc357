import { Module } from '@nestjs/common';
import { SagaDefinitionsController } from './saga-definitions.controller.js';
import { SagaDefinitionsService } from './saga-definitions.service.js';

/** Definitions of sagas: their versions, and whether one may be published. */
@Module({ controllers: [SagaDefinitionsController], providers: [SagaDefinitionsService] })
export class SagaDefinitionsModule {}
