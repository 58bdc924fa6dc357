import { type Caller, noSuchTool, noSuchVersion, Refusal } from '@countersign/calls';
import { inRangeText, itemNames, type TenantToolVersion, toolNames, toolVersions } from '@countersign/domain';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { ConfigurationRoom } from '../configuration/configuration-room.js';
import { Face } from './face.js';
import { fromQuery, queryOf } from './from-query.js';
import { listed, pageOf } from './lists.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';
import { ToolReadings } from './tool-readings.js';
import { type MeasuredOf, toolFace, versionFace } from './tool-record.js';
import { searchTools } from './tool-search.js';

const states = ['active', 'deprecated', 'blocked', 'candidate', 'suspended'] as const;
const commaList = <T extends z.ZodType<string, string>>(item: T) =>
  z
    .string()
    .max(1000)
    .transform((text) => text.split(',').map((each) => each.trim()))
    .pipe(z.array(item));

export const toolFilters = {
  lifecycle: commaList(z.enum([...states, 'all']))
    .optional()
    .describe('comma-separated; absent: active'),
  category: z.string().min(1).max(100).optional(),
  effect_class: z.enum(['pure', 'read_internal', 'read_external', 'stage', 'commit_low', 'commit_high']).optional(),
  pattern: z.string().min(1).max(40).optional(),
  capability: z.string().min(1).max(200).optional(),
  marking: z.string().min(1).max(200).optional(),
  provider: z.string().min(1).max(200).optional(),
};

export const toolSearchQuery = {
  q: z.string().min(1).max(400).optional(),
  capabilities: commaList(z.string().min(1).max(200)).default([]),
  version: z.string().max(64).optional().describe('a range that the version must be in'),
  min_trust: fromQuery(z.number().min(0).max(1)).optional().describe('only tools whose trust score is known and at least this'),
  max_latency_ms: fromQuery(z.number().positive()).optional(),
  max_cost: fromQuery(z.number().min(0)).optional(),
  limit: fromQuery(z.number().int().min(1).max(100)).default(10),
};

type ToolFilters = z.infer<z.ZodObject<typeof toolFilters>>;

function shownBy(filters: ToolFilters): (version: TenantToolVersion) => boolean {
  const lifecycles: readonly string[] = filters.lifecycle ?? ['active'];
  return ({ tool: { contract }, lifecycle }) =>
    (lifecycles.includes('all') || lifecycles.includes(lifecycle)) &&
    (filters.category === undefined || contract.category === filters.category) &&
    (filters.effect_class === undefined || contract.effect_class === filters.effect_class) &&
    (filters.pattern === undefined || contract.pattern === filters.pattern) &&
    (filters.capability === undefined || (contract.capabilities ?? []).includes(filters.capability)) &&
    (filters.marking === undefined || contract.markings.includes(filters.marking)) &&
    (filters.provider === undefined || contract.provider === filters.provider);
}

/** `/v1/tools`: the registry, as one tenant sees it. Lists and searches show active versions unless others are asked for. */
@Controller()
export class ToolsController {
  constructor(
    private readonly face: Face,
    private readonly room: ConfigurationRoom,
    private readonly readings: ToolReadings,
  ) {}

  @Get('v1/tools')
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const page = listed(request, toolFilters);
      if (page instanceof Refusal) return page;
      const measured = await this.readings.measured(request, caller);
      const shown = shownBy(page as ToolFilters);
      const { state } = this.room;
      const names = toolNames(state, caller.tenant_id).filter((name) => toolVersions(state, caller.tenant_id, name).some(shown));
      const shownNames = pageOf(
        names,
        page,
        (name) => name,
        (name) => toolFace(state, caller.tenant_id, name, measured, shown),
      );
      const unhealthy_packs = await this.readings.unhealthyPacks();
      return ok(unhealthy_packs.length === 0 ? shownNames : { ...shownNames, unhealthy_packs });
    });
  }

  // A double colon is a literal one in Fastify's routes.
  @Get('v1/tools::search')
  search(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const query = queryOf(request, toolSearchQuery);
      return query instanceof Refusal ? query : this.found(caller, query, await this.readings.measured(request, caller));
    });
  }

  @Get('v1/tools/:name')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const { name } = request.params as { name: string };
      const tool = toolFace(this.room.state, caller.tenant_id, name, await this.readings.measured(request, caller));
      return tool ? ok(tool) : noSuchTool(this.room.state, caller.tenant_id, name);
    });
  }

  @Get('v1/tools/:name/versions')
  versions(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      const { name } = request.params as { name: string };
      const { state } = this.room;
      const versions = toolVersions(state, caller.tenant_id, name);
      if (versions.length === 0) return noSuchTool(state, caller.tenant_id, name);
      const measured = await this.readings.measured(request, caller);
      return ok({ items: versions.map((version) => versionFace(state, caller.tenant_id, version, measured)), next_cursor: null });
    });
  }

  @Get('v1/tools/:name/versions/:version')
  version(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const { name, version } = request.params as { name: string; version: string };
      const { state } = this.room;
      const found = toolVersions(state, caller.tenant_id, name).find(({ tool }) => tool.version === version);
      if (!found) return noSuchVersion(state, caller.tenant_id, name, version);
      const etag = this.room.edits.etag(caller.tenant_id, itemNames.tool_version(name, version));
      return ok(versionFace(state, caller.tenant_id, found, await this.readings.measured(request, caller)), { etag });
    });
  }

  /** Only what the caller could call: active, and with scopes that its key has. */
  private found(caller: Caller, query: z.infer<z.ZodObject<typeof toolSearchQuery>>, measured: MeasuredOf): Answer | Refusal {
    const { state } = this.room;
    const ranges = query.version === undefined ? () => true : inRangeText(query.version);
    if (!ranges) return new Refusal('invalid-request', 'a version is `1.2.3`, `^1.2.0` or `~1.2.0`');
    const newest = toolNames(state, caller.tenant_id).flatMap((name) => {
      const fit = toolVersions(state, caller.tenant_id, name).filter(
        ({ tool, lifecycle }) => lifecycle === 'active' && ranges(tool.version),
      );
      return fit.slice(0, 1);
    });
    const callable = newest.filter(
      ({ tool }) => caller.scopes.length === 0 || tool.contract.scopes.every((scope) => caller.scopes.includes(scope)),
    );
    const ranked = searchTools(callable, query, (tool, version) => measured(tool, version).trust_score);
    const items = ranked
      .slice(0, query.limit)
      .map(({ version, score }) => ({ score, ...versionFace(state, caller.tenant_id, version, measured) }));
    return ok({ items, total_candidates: newest.length, total_filtered: ranked.length, next_cursor: null });
  }
}
