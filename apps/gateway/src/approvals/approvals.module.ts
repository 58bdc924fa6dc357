import { Module } from '@nestjs/common';
import { ApprovalFactsModule } from '../approval-facts/approval-facts.module.js';
import { ApprovalQualityController } from './approval-quality.controller.js';
import { ApprovalQualityService } from './approval-quality.service.js';
import { ApprovalSummaryController } from './approval-summary.controller.js';
import { ApprovalsController } from './approvals.controller.js';
import { ApprovalsService } from './approvals.service.js';
import { DecisionsController } from './decisions.controller.js';
import { DecisionsService } from './decisions.service.js';
import { GrantsController } from './grants.controller.js';
import { GrantsService } from './grants.service.js';
import { LinkVoterService } from './link-voter.service.js';
import { VoteDelegationsController } from './vote-delegations.controller.js';
import { VoteDelegationsService } from './vote-delegations.service.js';
import { VotesService } from './votes.service.js';

/** Pending approvals, votes, grants and vote delegations. */
@Module({
  imports: [ApprovalFactsModule],
  controllers: [
    ApprovalQualityController,
    ApprovalSummaryController,
    ApprovalsController,
    VoteDelegationsController,
    GrantsController,
    DecisionsController,
  ],
  providers: [
    ApprovalsService,
    VotesService,
    ApprovalQualityService,
    VoteDelegationsService,
    GrantsService,
    LinkVoterService,
    DecisionsService,
  ],
  exports: [ApprovalsService, VotesService],
})
export class ApprovalsModule {}
