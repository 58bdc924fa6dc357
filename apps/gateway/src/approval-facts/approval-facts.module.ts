import { Module } from '@nestjs/common';
import { ApprovalFactsService } from './approval-facts.service.js';

/** What approvers must know about a request. */
@Module({ providers: [ApprovalFactsService], exports: [ApprovalFactsService] })
export class ApprovalFactsModule {}
