import { Module } from '@nestjs/common';
import { LimitsController } from './limits.controller.js';
import { LimitsService } from './limits.service.js';

/** Guard limits: how often, how many and how much agents may. */
@Module({ controllers: [LimitsController], providers: [LimitsService] })
export class LimitsModule {}
