import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';

/** Whether this process is alive and can serve, and its metrics. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
