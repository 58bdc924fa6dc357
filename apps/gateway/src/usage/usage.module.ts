import { Module } from '@nestjs/common';
import { ApprovalModesController } from './approval-modes.controller.js';
import { ApprovalModesService } from './approval-modes.service.js';
import { BillingService } from './billing.service.js';
import { UsageController } from './usage.controller.js';
import { UsageService } from './usage.service.js';
import { UsageBillingController } from './usage-billing.controller.js';

/** Usage, its cost, and billing. */
@Module({
  controllers: [UsageController, UsageBillingController, ApprovalModesController],
  providers: [UsageService, BillingService, ApprovalModesService],
})
export class UsageModule {}
