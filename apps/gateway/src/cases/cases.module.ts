import { Module } from '@nestjs/common';
import { CaseEventsController } from './case-events.controller.js';
import { CasesController } from './cases.controller.js';
import { CasesService } from './cases.service.js';

/** Cases: what belongs together, its timeline, and who follows it. */
@Module({ controllers: [CasesController, CaseEventsController], providers: [CasesService], exports: [CasesService] })
export class CasesModule {}
