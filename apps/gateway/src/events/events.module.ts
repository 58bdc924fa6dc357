import { Module } from '@nestjs/common';
import { ApprovalEventsController } from './approval-events.controller.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

/** Event streams of everything that changes in a tenant. */
@Module({ controllers: [EventsController, ApprovalEventsController], providers: [EventsService] })
export class EventsModule {}
