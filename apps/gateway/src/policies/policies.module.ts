import { Module } from '@nestjs/common';
import { ActivePolicyService } from './active-policy.service.js';
import { DraftChecksController } from './draft-checks.controller.js';
import { DraftChecksService } from './draft-checks.service.js';
import { PoliciesController } from './policies.controller.js';
import { PublishedPoliciesService } from './published-policies.service.js';
import { SimulationsController } from './simulations.controller.js';
import { SimulationsService } from './simulations.service.js';

/** Policies of a tenant: versions, checks of drafts, activation and simulation. */
@Module({
  controllers: [DraftChecksController, PoliciesController, SimulationsController],
  providers: [ActivePolicyService, DraftChecksService, PublishedPoliciesService, SimulationsService],
})
export class PoliciesModule {}
