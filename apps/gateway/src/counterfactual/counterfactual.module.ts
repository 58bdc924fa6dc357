import { Module } from '@nestjs/common';
import { CounterfactualController } from './counterfactual.controller.js';
import { CounterfactualService } from './counterfactual.service.js';

/** Counterfactuals: decides recorded calls again with something changed. */
@Module({ controllers: [CounterfactualController], providers: [CounterfactualService] })
export class CounterfactualModule {}
