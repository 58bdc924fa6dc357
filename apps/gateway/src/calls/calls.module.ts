import { Module } from '@nestjs/common';
import { BatchController } from './batch.controller.js';
import { CallCommandsController } from './call-commands.controller.js';
import { CallEventsController } from './call-events.controller.js';
import { CallPosts } from './call-posts.service.js';
import { CallsController } from './calls.controller.js';
import { CallsService } from './calls.service.js';

/** Calls: submit one or many, read, list, follow, cancel, resolve. */
@Module({
  controllers: [CallsController, BatchController, CallCommandsController, CallEventsController],
  providers: [CallsService, CallPosts],
})
export class CallsModule {}
