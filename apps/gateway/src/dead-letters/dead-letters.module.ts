import { Module } from '@nestjs/common';
import { DeadLettersController } from './dead-letters.controller.js';
import { DeadLettersService } from './dead-letters.service.js';

/** Records that a service could not handle. */
@Module({ controllers: [DeadLettersController], providers: [DeadLettersService] })
export class DeadLettersModule {}
