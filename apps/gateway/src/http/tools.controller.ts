import { approvalMode, defaultTier, effectRules } from '@countersign/contracts';
import { catalogued, overrideFor, type TenantToolVersion, toolNames, toolVersions } from '@countersign/domain';
import { Controller, Get, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { parseBody } from './body-issues.js';
import { ConfigurationRoom } from './configuration-room.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { Problem } from './problem.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

export const lifecycleRequest = z.strictObject({ state: z.enum(['active', 'deprecated', 'blocked']) });

const noSuchTool = (): Problem => new Problem('unknown-tool', 'there is no tool of this name');

function versionFace({ tool, lifecycle }: TenantToolVersion): Record<string, unknown> {
  const { contract, digest } = tool;
  const rule = effectRules[contract.effect_class];
  const { name: _name, ...rest } = contract;
  return {
    ...rest,
    lifecycle,
    digest,
    side_effects: rule.side_effects,
    approval_mode: approvalMode(contract),
    default_tier: defaultTier(contract),
    mcp: rule.mcp,
  };
}

/** `/v1/tools`: what can be called in this tenant, and the lifecycle of versions. */
@Controller('v1/tools')
export class ToolsController {
  constructor(
    private readonly face: Face,
    private readonly room: ConfigurationRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => {
      const page = listed(request, {});
      if (page instanceof Problem) return page;
      const names = toolNames(this.room.state, caller.tenant_id);
      return ok(
        pageOf(
          names,
          page,
          (name) => name,
          (name) => this.tool(caller.tenant_id, name),
        ),
      );
    });
  }

  @Get(':name')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => {
      const tool = this.tool(caller.tenant_id, (request.params as { name: string }).name);
      return tool ? ok(tool) : noSuchTool();
    });
  }

  @Put(':name/versions/:version/lifecycle')
  lifecycle(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['tool_author', 'policy_admin'], async (caller) => {
      const body = parseBody(lifecycleRequest, request.body);
      if (body instanceof Problem) return body;
      const { name, version } = request.params as { name: string; version: string };
      if (!catalogued(this.room.state, name, version)) return noSuchTool();
      const changed_at_ms = this.room.clock.now_ms();
      await this.room.writer.set(caller.tenant_id, 'tool_lifecycle_set', {
        tool: name,
        version,
        state: body.state,
        by: caller.principal,
        changed_at_ms,
      });
      return ok({ name, version, state: body.state, changed_at: new Date(changed_at_ms).toISOString() });
    });
  }

  private tool(tenantId: string, name: string): Record<string, unknown> | undefined {
    const versions = toolVersions(this.room.state, tenantId, name);
    const newest = versions.find(({ lifecycle }) => lifecycle === 'active') ?? versions[0];
    if (!newest) return undefined;
    const tier = overrideFor(this.room.state, tenantId, name)?.tier ?? defaultTier(newest.tool.contract);
    return {
      name,
      title: newest.tool.contract.title,
      description: newest.tool.contract.description,
      tier,
      versions: versions.map(versionFace),
    };
  }
}
