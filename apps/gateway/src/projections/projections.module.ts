import { Module } from '@nestjs/common';
import { ProjectionsController } from './projections.controller.js';
import { ProjectionsService } from './projections.service.js';

/** Projections: their state, and rebuilding them. */
@Module({ controllers: [ProjectionsController], providers: [ProjectionsService] })
export class ProjectionsModule {}
