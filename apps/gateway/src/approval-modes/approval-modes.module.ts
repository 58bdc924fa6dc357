import { Module } from '@nestjs/common';
import { ApprovalModesController } from './approval-modes.controller.js';
import { ApprovalModesService } from './approval-modes.service.js';

/** Corrections of approval modes. */
@Module({ controllers: [ApprovalModesController], providers: [ApprovalModesService] })
export class ApprovalModesModule {}
