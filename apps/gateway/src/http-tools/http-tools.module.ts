import { Module } from '@nestjs/common';
import { HttpToolsController } from './http-tools.controller.js';
import { HttpToolsService } from './http-tools.service.js';

/** Registration of tools that run at HTTPS endpoints of tenants. */
@Module({ controllers: [HttpToolsController], providers: [HttpToolsService] })
export class HttpToolsModule {}
