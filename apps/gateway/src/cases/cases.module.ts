import { Module } from '@nestjs/common';
import { CaseEventsController } from './case-events.controller.js';
import { CasesController } from './cases.controller.js';
import { CasesService } from './cases.service.js';

/** Cases: groups of calls, their timeline and their event streams. */
@Module({ controllers: [CasesController, CaseEventsController], providers: [CasesService], exports: [CasesService] })
export class CasesModule {}
