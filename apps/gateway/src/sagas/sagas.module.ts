import { Module } from '@nestjs/common';
import { SagasController } from './sagas.controller.js';
import { SagasService } from './sagas.service.js';

/** Sagas: several calls that run as one. */
@Module({ controllers: [SagasController], providers: [SagasService] })
export class SagasModule {}
