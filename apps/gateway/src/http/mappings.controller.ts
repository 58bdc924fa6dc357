import { type Caller, noSuchTool, Refusal, Views, viewsBehind } from '@countersign/calls';
import {
  ANY_TOOL,
  itemNames,
  type MappingVersion,
  mappingAt,
  mappingMode,
  mappingVersions,
  toolNames,
  unpackCall,
} from '@countersign/domain';
import type { MappingDefinition } from '@countersign/mapping';
import { listCalls } from '@countersign/store';
import { Controller, Delete, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import type { z } from 'zod';
import type { ChangeFields } from '../identity/configuration-writer.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { activationProblem, activationReasons } from './mapping-activation.js';
import { activationRequest, definitionProblem, mappingDefinition, rollbackRequest, tryRequest } from './mapping-request.js';
import { tryMapping } from './mapping-trial.js';
import { seenOf } from './positions.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const toolOf = (request: HttpRequest): string => (request.params as { tool: string }).tool;
const noMapping = (): Refusal => new Refusal('not-found', 'there is no mapping of this tool');

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
      if (page instanceof Refusal) return page;
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
      const etag = found && this.etag(caller, found.tool);
      return found && etag ? ok({ ...versionFace(found), in_force_version: this.inForce(caller, found.tool) }, { etag }) : noMapping();
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
      if (body instanceof Refusal) return body;
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
      return removed instanceof Refusal ? removed : { status: 204 };
    });
  }

  @Post('v1/mappings/:tool/rollback')
  @HttpCode(200)
  rollBack(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin', 'tool_author'], async (caller) => {
      const body = parseBody(rollbackRequest, request.body);
      if (body instanceof Refusal) return body;
      const earlier = mappingVersions(this.room.configuration.state, caller.tenant_id, toolOf(request)).find(
        ({ version }) => version === body.version,
      );
      if (!earlier) return new Refusal('not-found', `there is no version ${body.version} of this mapping`);
      return this.write(request, caller, () => ({ definition: earlier.definition, rolled_back_to: earlier.version }));
    });
  }

  @Post('v1/mappings/:tool/activate')
  @HttpCode(200)
  activate(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      const body = parseBody(activationRequest, request.body);
      if (body instanceof Refusal) return body;
      const { state, clock } = this.room.configuration;
      const { tenant_id, principal: by } = caller;
      const tool = toolOf(request);
      const { version } = body;
      const draft = () =>
        activationProblem(state, tenant_id, mappingVersions(state, tenant_id, tool), { version, by }) ?? {
          tool,
          version,
          by,
          changed_at_ms: clock.now_ms(),
        };
      // One person may activate alone only while the tenant says that there is one.
      const against = () => [itemNames.policy_settings];
      const item = itemNames.mapping(tool);
      const edited = await this.room.editEverywhere(request, { tenant_id, type: 'mapping_activated', item, against, draft });
      if (edited instanceof Refusal) return edited;
      const active = mappingVersions(state, tenant_id, tool).find((one) => one.version === version);
      return active?.in_force_from_ms == null
        ? new Refusal('conflict', 'the mapping was changed meanwhile: read it again')
        : ok(versionFace(active), { etag: edited.etag });
    });
  }

  // A double colon is a literal one in Fastify's routes.
  @Post('v1/mappings::try')
  @HttpCode(200)
  try(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin', 'tool_author', 'operator'], async (caller) => {
      const body = parseBody(tryRequest, request.body);
      if (body instanceof Refusal) return body;
      const definition = this.unknown(caller, body.tool) ?? this.tried(caller, body);
      if (definition instanceof Refusal) return definition;
      if (body.calls_max > 0 && !(await this.views.current(seenOf(request)))) return viewsBehind();
      const page = { tenant_id: caller.tenant_id, tool: body.tool, limit: Math.max(1, body.calls_max) };
      const rows = body.calls_max === 0 ? [] : (await listCalls(this.views.store, page)).items;
      const recorded = rows.map((row) => unpackCall(row.state));
      const calls = await this.views.readable.states(caller.tenant_id, recorded);
      const { state } = this.room.configuration;
      const trial = await tryMapping(definition, mappingMode(state, caller.tenant_id), { ...body, calls });
      return ok({ ...trial, needs_activation: activationReasons(state, caller.tenant_id, body.tool, definition) });
    });
  }

  private unknown({ tenant_id }: Caller, tool: string): Refusal | undefined {
    const { state } = this.room.configuration;
    return tool === ANY_TOOL || toolNames(state, tenant_id).includes(tool) ? undefined : noSuchTool(state, tenant_id, tool);
  }

  private tried(caller: Caller, body: z.infer<typeof tryRequest>): MappingDefinition | Refusal {
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

  private etag({ tenant_id }: Caller, tool: string): string {
    return this.room.configuration.edits.etag(tenant_id, itemNames.mapping(tool));
  }

  private async write(request: HttpRequest, caller: Caller, next: () => NextVersion | Refusal): Promise<Answer | Refusal> {
    const { state, clock } = this.room.configuration;
    const { tenant_id, principal: by } = caller;
    const tool = toolOf(request);
    const reasonsFor = (definition: object | null) => activationReasons(state, tenant_id, tool, definition as MappingDefinition | null);
    const draft = (): ChangeFields<'mapping_set'> | Refusal => {
      const found = next();
      if (found instanceof Refusal) return found;
      const version = (mappingVersions(state, tenant_id, tool).at(-1)?.version ?? 0) + 1;
      const definition_json = found.definition === null ? null : JSON.stringify(found.definition);
      const needs_activation = reasonsFor(found.definition).length > 0;
      return { tool, version, definition_json, rolled_back_to: found.rolled_back_to, by, changed_at_ms: clock.now_ms(), needs_activation };
    };
    // Whether it needs a second person depends on the rules in force.
    const against = () => [itemNames.active_bundle];
    const edited = await this.room.editEverywhere(request, {
      tenant_id,
      type: 'mapping_set',
      item: itemNames.mapping(tool),
      against,
      draft,
    });
    if (edited instanceof Refusal) return edited;
    const { version } = edited.fields;
    const written = mappingVersions(state, tenant_id, tool).find((each) => each.version === version);
    return written
      ? ok({ ...versionFace(written), needs_activation: reasonsFor(written.definition) }, { etag: edited.etag })
      : new Refusal('conflict', 'another version has this number: try again');
  }
}
