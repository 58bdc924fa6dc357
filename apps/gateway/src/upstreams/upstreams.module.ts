import { Module } from '@nestjs/common';
import { ClassificationsService } from './classifications.service.js';
import { UpstreamCommandsController } from './upstream-commands.controller.js';
import { UpstreamsController } from './upstreams.controller.js';
import { UpstreamsService } from './upstreams.service.js';

/** MCP servers of tenants, and what operators declare of their tools. */
@Module({ controllers: [UpstreamsController, UpstreamCommandsController], providers: [UpstreamsService, ClassificationsService] })
export class UpstreamsModule {}
