import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';

/** Liveness, readiness and metrics of this process. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
