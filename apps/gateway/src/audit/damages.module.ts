import { Module } from '@nestjs/common';
import { DamagesController } from './damages.controller.js';
import { DamagesService } from './damages.service.js';
import { ScrubsController } from './scrubs.controller.js';
import { ScrubsService } from './scrubs.service.js';

/** Damage of the record, the decisions about it, and comparisons that look for it. */
@Module({ controllers: [DamagesController, ScrubsController], providers: [DamagesService, ScrubsService] })
export class DamagesModule {}
