import { Module } from '@nestjs/common';
import { AccessController } from './access.controller.js';
import { AccessService } from './access.service.js';

/** Evaluates policy without a call: AuthZEN, and the effective tier of a tool. */
@Module({ controllers: [AccessController], providers: [AccessService] })
export class AccessModule {}
