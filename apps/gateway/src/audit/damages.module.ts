import { Module } from '@nestjs/common';
import { DamagesController } from './damages.controller.js';
import { DamagesService } from './damages.service.js';

/** Damage of the record, and the decisions about it. */
@Module({ controllers: [DamagesController], providers: [DamagesService] })
export class DamagesModule {}
