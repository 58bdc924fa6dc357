import { Module } from '@nestjs/common';
import { MappingTrialsService } from './mapping-trials.service.js';
import { MappingsController } from './mappings.controller.js';
import { MappingsService } from './mappings.service.js';

/** Mappings of what agents say to what the tenant's systems take, and back. */
@Module({ controllers: [MappingsController], providers: [MappingsService, MappingTrialsService] })
export class MappingsModule {}
