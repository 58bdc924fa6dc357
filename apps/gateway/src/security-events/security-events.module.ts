import { Module } from '@nestjs/common';
import { SecurityEventsController } from './security-events.controller.js';
import { SecurityEventsService } from './security-events.service.js';

/** Security events: refused, forged or malformed requests and records. */
@Module({ controllers: [SecurityEventsController], providers: [SecurityEventsService] })
export class SecurityEventsModule {}
