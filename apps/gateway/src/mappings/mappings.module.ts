import { Module } from '@nestjs/common';
import { MappingTrialsService } from './mapping-trials.service.js';
import { MappingsController } from './mappings.controller.js';
import { MappingsService } from './mappings.service.js';

/** Mappings between the agents' inputs and results and the formats of the tenant's systems. */
@Module({ controllers: [MappingsController], providers: [MappingsService, MappingTrialsService] })
export class MappingsModule {}
