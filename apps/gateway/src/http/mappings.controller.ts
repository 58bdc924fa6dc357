import { ANY_TOOL, type MappingVersion, mappingAt, mappingMode, mappingVersions, toolNames, unpackCall } from '@countersign/domain';
import type { MappingDefinition } from '@countersign/mapping';
import { listCalls } from '@countersign/store';
import { Controller, Delete, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import type { z } from 'zod';
import type { Caller } from '../identity/authenticator.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from './body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { activationProblem, activationReasons } from './mapping-activation.js';
import { activationRequest, definitionProblem, mappingDefinition, rollbackRequest, tryRequest } from './mapping-request.js';
import { tryMapping } from './mapping-trial.js';
import { Problem } from './problem.js';
import { type Answer, type HttpReply, type HttpRequest, headerOf, ok } from './reply.js';
import { noSuchTool } from './unknown-tool.js';
import { Views, viewsBehind } from './views.js';

const toolOf = (request: HttpRequest): string => (request.params as { tool: string }).tool;
const etagOf = ({ version }: MappingVersion): string => `"${version}"`;
const noMapping = (): Problem => new Problem('not-found', 'there is no mapping of this tool');

function versionFace({ changed_at_ms, by, in_force_from_ms, activated_by, ...rest }: MappingVersion): Record<string, unknown> {
  return {
    ...rest,
    state: in_force_from_ms === null ? 'waits_for_activation' : 'activated',
    in_force_from: in_force_from_ms === null ? null : new Date(in_force_from_ms).toISOString(),
    activated_by: activated_by && { kind: activated_by.kind, id: activated_by.id },
    changed_by: { kind: by.kind, id: by.id },
    changed_at: new Date(changed_at_ms).toISOString(),
  };
}

/** `/v1/mappings`: between what agents say and what the tenant's systems take, a history of versions for each tool. */
@Controller()
export class MappingsController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
    private readonly views: Views,
  ) {}

  @Get('v1/mappings')
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => {
      const page = listed(request);
      if (page instanceof Problem) return page;
      const tools = [...(this.room.configuration.state.by_tenant.get(caller.tenant_id)?.mappings.keys() ?? [])];
      const current = tools.map((tool) => this.current(caller, tool)).filter((found) => found !== undefined);
      return ok(pageOf(current, page, ({ tool }) => tool, versionFace));
    });
  }

  @Get('v1/mappings/:tool')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => {
      const found = this.current(caller, toolOf(request));
      return found
        ? ok({ ...versionFace(found), in_force_version: this.inForce(caller, found.tool) }, { etag: etagOf(found) })
        : noMapping();
    });
  }

  @Get('v1/mappings/:tool/versions')
  versions(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => {
      const versions = mappingVersions(this.room.configuration.state, caller.tenant_id, toolOf(request));
      return versions.length > 0 ? ok({ items: versions.toReversed().map(versionFace), next_cursor: null }) : noMapping();
    });
  }

  @Put('v1/mappings/:tool')
  publish(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin', 'tool_author'], async (caller) => {
      const body = parseBody(mappingDefinition, request.body);
      if (body instanceof Problem) return body;
      const tool = toolOf(request);
      return (
        this.unknown(caller, tool) ??
        this.stale(request, caller) ??
        definitionProblem(body) ??
        this.write(caller, tool, body as MappingDefinition, null)
      );
    });
  }

  @Delete('v1/mappings/:tool')
  remove(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin', 'tool_author'], async (caller) => {
      if (!this.current(caller, toolOf(request))) return noMapping();
      const stale = this.stale(request, caller);
      if (stale) return stale;
      await this.write(caller, toolOf(request), null, null);
      return { status: 204 };
    });
  }

  @Post('v1/mappings/:tool/rollback')
  @HttpCode(200)
  rollBack(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin', 'tool_author'], async (caller) => {
      const body = parseBody(rollbackRequest, request.body);
      if (body instanceof Problem) return body;
      const earlier = mappingVersions(this.room.configuration.state, caller.tenant_id, toolOf(request)).find(
        ({ version }) => version === body.version,
      );
      if (!earlier) return new Problem('not-found', `there is no version ${body.version} of this mapping`);
      return this.stale(request, caller) ?? this.write(caller, earlier.tool, earlier.definition, earlier.version);
    });
  }

  @Post('v1/mappings/:tool/activate')
  @HttpCode(200)
  activate(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      const body = parseBody(activationRequest, request.body);
      if (body instanceof Problem) return body;
      const { state, clock } = this.room.configuration;
      const { tenant_id, principal: by } = caller;
      const tool = toolOf(request);
      const refused = activationProblem(state, tenant_id, mappingVersions(state, tenant_id, tool), { version: body.version, by });
      const stale = refused ?? this.stale(request, caller);
      if (stale) return stale;
      await this.room.setEverywhere(tenant_id, 'mapping_activated', { tool, version: body.version, by, changed_at_ms: clock.now_ms() });
      const active = mappingVersions(state, tenant_id, tool).find(({ version }) => version === body.version);
      return active?.in_force_from_ms == null
        ? new Problem('conflict', 'the mapping was changed meanwhile: read it again')
        : ok(versionFace(active), { etag: etagOf(active) });
    });
  }

  // A double colon is a literal one in Fastify's routes.
  @Post('v1/mappings::try')
  @HttpCode(200)
  try(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin', 'tool_author', 'operator'], async (caller) => {
      const body = parseBody(tryRequest, request.body);
      if (body instanceof Problem) return body;
      const definition = this.unknown(caller, body.tool) ?? this.tried(caller, body);
      if (definition instanceof Problem) return definition;
      if (body.calls_max > 0 && !(await this.views.current(request))) return viewsBehind();
      const page = { tenant_id: caller.tenant_id, tool: body.tool, limit: Math.max(1, body.calls_max) };
      const rows = body.calls_max === 0 ? [] : (await listCalls(this.views.store, page)).items;
      const recorded = rows.map((row) => unpackCall(row.state));
      const calls = await this.views.readable.states(caller.tenant_id, recorded);
      const { state } = this.room.configuration;
      const trial = await tryMapping(definition, mappingMode(state, caller.tenant_id), { ...body, calls });
      return ok({ ...trial, needs_activation: activationReasons(state, caller.tenant_id, body.tool, definition) });
    });
  }

  private unknown({ tenant_id }: Caller, tool: string): Problem | undefined {
    const { state } = this.room.configuration;
    return tool === ANY_TOOL || toolNames(state, tenant_id).includes(tool) ? undefined : noSuchTool(state, tenant_id, tool);
  }

  private tried(caller: Caller, body: z.infer<typeof tryRequest>): MappingDefinition | Problem {
    if (body.definition) return definitionProblem(body.definition, '/definition') ?? body.definition;
    const versions = mappingVersions(this.room.configuration.state, caller.tenant_id, body.tool);
    const wanted = body.version === undefined ? versions.at(-1) : versions.find(({ version }) => version === body.version);
    return wanted?.definition ? (wanted.definition as unknown as MappingDefinition) : noMapping();
  }

  /** Version that new calls go by; null: none. */
  private inForce({ tenant_id }: Caller, tool: string): number | null {
    const { state, clock } = this.room.configuration;
    return mappingAt(state, tenant_id, tool, clock.now_ms())?.version ?? null;
  }

  private current(caller: Caller, tool: string): MappingVersion | undefined {
    const newest = mappingVersions(this.room.configuration.state, caller.tenant_id, tool).at(-1);
    return newest && newest.definition !== null ? newest : undefined;
  }

  private stale(request: HttpRequest, caller: Caller): Problem | undefined {
    const wanted = headerOf(request, 'if-match');
    if (wanted === undefined) return undefined;
    const found = this.current(caller, toolOf(request));
    const fits = found && (wanted === '*' || wanted.split(',').some((tag) => tag.trim() === etagOf(found)));
    return fits ? undefined : new Problem('precondition-failed', 'the mapping was changed meanwhile: read it again');
  }

  private async write(caller: Caller, tool: string, definition: object | null, rolled_back_to: number | null): Promise<Answer | Problem> {
    const { state, clock } = this.room.configuration;
    const version = (mappingVersions(state, caller.tenant_id, tool).at(-1)?.version ?? 0) + 1;
    const changed_at_ms = clock.now_ms();
    const definition_json = definition === null ? null : JSON.stringify(definition);
    const reasons = activationReasons(state, caller.tenant_id, tool, definition as MappingDefinition | null);
    await this.room.setEverywhere(caller.tenant_id, 'mapping_set', {
      tool,
      version,
      definition_json,
      rolled_back_to,
      by: caller.principal,
      changed_at_ms,
      needs_activation: reasons.length > 0,
    });
    const written = mappingVersions(state, caller.tenant_id, tool).find((each) => each.version === version);
    if (!written || written.changed_at_ms !== changed_at_ms || written.by.id !== caller.principal.id)
      return new Problem('precondition-failed', 'another version was published at the same moment: read it again');
    return ok({ ...versionFace(written), needs_activation: reasons }, { etag: etagOf(written) });
  }
}
