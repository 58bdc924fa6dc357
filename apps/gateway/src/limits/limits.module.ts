import { Module } from '@nestjs/common';
import { LimitsController } from './limits.controller.js';
import { LimitsService } from './limits.service.js';

/** Guard limits: caps on the number, rate and amount of calls. */
@Module({ controllers: [LimitsController], providers: [LimitsService] })
export class LimitsModule {}
