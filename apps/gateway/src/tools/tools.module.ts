import { Module } from '@nestjs/common';
import { AdapterPinsController } from './adapter-pins.controller.js';
import { AdapterPinsService } from './adapter-pins.service.js';
import { ToolLifecycleController } from './tool-lifecycle.controller.js';
import { ToolLifecycleService } from './tool-lifecycle.service.js';
import { ToolPoliciesController } from './tool-policies.controller.js';
import { ToolPoliciesService } from './tool-policies.service.js';
import { ToolsController } from './tools.controller.js';
import { ToolsService } from './tools.service.js';

/** The registry of tools: tools, lifecycle decisions, tiers and adapters. */
@Module({
  controllers: [ToolsController, ToolLifecycleController, ToolPoliciesController, AdapterPinsController],
  providers: [ToolsService, ToolLifecycleService, ToolPoliciesService, AdapterPinsService],
})
export class ToolsModule {}
