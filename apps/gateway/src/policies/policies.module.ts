import { Module } from '@nestjs/common';
import { ActivePolicyService } from './active-policy.service.js';
import { PoliciesController } from './policies.controller.js';
import { PublishedPoliciesService } from './published-policies.service.js';
import { SimulationsController } from './simulations.controller.js';
import { SimulationsService } from './simulations.service.js';

/** Policies of a tenant: versions, activation and simulation. */
@Module({
  controllers: [PoliciesController, SimulationsController],
  providers: [ActivePolicyService, PublishedPoliciesService, SimulationsService],
})
export class PoliciesModule {}
