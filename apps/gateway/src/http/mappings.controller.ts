import { ANY_TOOL, itemNames, type MappingVersion, mappingMode, mappingVersions, toolNames, unpackCall } from '@countersign/domain';
import type { MappingDefinition } from '@countersign/mapping';
import { listCalls } from '@countersign/store';
import { Controller, Delete, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import type { z } from 'zod';
import type { Caller } from '../identity/authenticator.js';
import type { ChangeFields } from '../identity/configuration-writer.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from './body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { definitionProblem, mappingDefinition, rollbackRequest, tryRequest } from './mapping-request.js';
import { tryMapping } from './mapping-trial.js';
import { Problem } from './problem.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';
import { noSuchTool } from './unknown-tool.js';
import { Views, viewsBehind } from './views.js';

const toolOf = (request: HttpRequest): string => (request.params as { tool: string }).tool;
const noMapping = (): Problem => new Problem('not-found', 'there is no mapping of this tool');

function versionFace({ changed_at_ms, by, ...rest }: MappingVersion): Record<string, unknown> {
  return { ...rest, changed_by: { kind: by.kind, id: by.id }, changed_at: new Date(changed_at_ms).toISOString() };
}

/** What the next version says; null: there is no mapping from then on. */
interface NextVersion {
  definition: object | null;
  rolled_back_to: number | null;
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
      return ok(
        pageOf(
          current,
          page,
          ({ tool }) => tool,
          (found) => ({ ...versionFace(found), etag: this.etag(caller, found.tool) }),
        ),
      );
    });
  }

  @Get('v1/mappings/:tool')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => {
      const found = this.current(caller, toolOf(request));
      return found ? ok(versionFace(found), { etag: this.etag(caller, found.tool) }) : noMapping();
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
      const definition = body as MappingDefinition;
      return (
        definitionProblem(body) ?? this.write(request, caller, () => this.unknown(caller, tool) ?? { definition, rolled_back_to: null })
      );
    });
  }

  @Delete('v1/mappings/:tool')
  remove(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin', 'tool_author'], async (caller) => {
      const removed = await this.write(request, caller, () =>
        this.current(caller, toolOf(request)) ? { definition: null, rolled_back_to: null } : noMapping(),
      );
      return removed instanceof Problem ? removed : { status: 204 };
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
      return this.write(request, caller, () => ({ definition: earlier.definition, rolled_back_to: earlier.version }));
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
      return ok(await tryMapping(definition, mappingMode(this.room.configuration.state, caller.tenant_id), { ...body, calls }));
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

  private current(caller: Caller, tool: string): MappingVersion | undefined {
    const newest = mappingVersions(this.room.configuration.state, caller.tenant_id, tool).at(-1);
    return newest && newest.definition !== null ? newest : undefined;
  }

  private etag({ tenant_id }: Caller, tool: string): string {
    return this.room.configuration.edits.etag(tenant_id, itemNames.mapping(tool));
  }

  private async write(request: HttpRequest, caller: Caller, next: () => NextVersion | Problem): Promise<Answer | Problem> {
    const { state, clock } = this.room.configuration;
    const { tenant_id, principal: by } = caller;
    const tool = toolOf(request);
    const draft = (): ChangeFields<'mapping_set'> | Problem => {
      const found = next();
      if (found instanceof Problem) return found;
      const version = (mappingVersions(state, tenant_id, tool).at(-1)?.version ?? 0) + 1;
      const definition_json = found.definition === null ? null : JSON.stringify(found.definition);
      return { tool, version, definition_json, rolled_back_to: found.rolled_back_to, by, changed_at_ms: clock.now_ms() };
    };
    const edited = await this.room.editEverywhere(request, { tenant_id, type: 'mapping_set', item: itemNames.mapping(tool), draft });
    if (edited instanceof Problem) return edited;
    const { version } = edited.fields;
    const written = mappingVersions(state, tenant_id, tool).find((each) => each.version === version);
    return written
      ? ok(versionFace(written), { etag: edited.etag })
      : new Problem('conflict', 'another version has this number: try again');
  }
}
