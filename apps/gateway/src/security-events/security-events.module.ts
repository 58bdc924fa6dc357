import { Module } from '@nestjs/common';
import { SecurityEventsController } from './security-events.controller.js';
import { SecurityEventsService } from './security-events.service.js';

/** What was refused, forged or malformed. */
@Module({ controllers: [SecurityEventsController], providers: [SecurityEventsService] })
export class SecurityEventsModule {}
