import { Module } from '@nestjs/common';
import { CounterfactualController } from './counterfactual.controller.js';
import { CounterfactualService } from './counterfactual.service.js';

/** What would have been, had something been otherwise. */
@Module({ controllers: [CounterfactualController], providers: [CounterfactualService] })
export class CounterfactualModule {}
