import { Module } from '@nestjs/common';
import { DamagesController } from './damages.controller.js';
import { DamagesService } from './damages.service.js';
import { ScrubsController } from './scrubs.controller.js';
import { ScrubsService } from './scrubs.service.js';

/** Damage of the record, decisions about it, and scrubs that search for it. */
@Module({ controllers: [DamagesController, ScrubsController], providers: [DamagesService, ScrubsService] })
export class DamagesModule {}
