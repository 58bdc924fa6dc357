import { Module } from '@nestjs/common';
import { RunsController } from './runs.controller.js';
import { RunsService } from './runs.service.js';

/** Runs: their transcripts and replay bundles. */
@Module({ controllers: [RunsController], providers: [RunsService] })
export class RunsModule {}
