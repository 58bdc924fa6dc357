import { Module } from '@nestjs/common';
import { ProjectionsController } from './projections.controller.js';
import { ProjectionsService } from './projections.service.js';

/** Projections: their state and their rebuilds. */
@Module({ controllers: [ProjectionsController], providers: [ProjectionsService] })
export class ProjectionsModule {}
