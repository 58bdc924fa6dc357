import { Module } from '@nestjs/common';
import { FactsController } from './facts.controller.js';
import { FactsService } from './facts.service.js';

/** Fact tables that the conditions of a tenant's rules use. */
@Module({ controllers: [FactsController], providers: [FactsService] })
export class FactsModule {}
