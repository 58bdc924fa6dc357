import { type Caller, noSuchTool, noSuchVersion, Refusal, Views, viewsBehind } from '@countersign/calls';
import { toldKey, toolVersions } from '@countersign/domain';
import type { PastMoment } from '@countersign/process';
import { type Cursor, cursorText, parseCursor } from '@countersign/store';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { ConfigurationRoom } from '../configuration/configuration-room.js';
import { parseBody } from '../requests/body-issues.js';
import { eventsFace, scoredFace, time, toldFace, toolScoreFace } from '../trust/trust-face.js';
import { TrustRoom } from '../trust/trust-room.js';
import { Face } from './face.js';
import { fromQuery, queryOf } from './from-query.js';
import { LIMIT_MAX } from './lists.js';
import { parsePositions, positionText, seenOf } from './positions.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const moment = {
  as_of: z.iso.datetime({ offset: true }).optional().describe('the value at a past time'),
  at_offset: z.string().max(200).optional().describe('the value when this record was there: <topic>:<partition>:<offset>'),
};
export const trustQuery = { version: z.string().min(1).max(64).optional().describe('absent: the newest active one'), ...moment };
export const pastQuery = moment;
const pastMoment = z.looseObject(pastQuery);
export const trustEventsQuery = {
  version: z.string().min(1).max(64).optional(),
  limit: fromQuery(z.number().int().min(1).max(LIMIT_MAX)).default(100),
  cursor: z.string().max(400).optional(),
};

const invalid = (path: string, message: string): Refusal =>
  new Refusal('invalid-request', message, { issues: [{ path, code: 'invalid', message }] });

/** `/v1/tools/{name}/trust` and `/v1/trust/…`: scores with what they are made of, now and at any past offset. */
@Controller('v1')
export class TrustController {
  constructor(
    private readonly face: Face,
    private readonly room: TrustRoom,
    private readonly configuration: ConfigurationRoom,
    private readonly views: Views,
  ) {}

  @Get('tools/:name/trust')
  tool(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const query = queryOf(request, trustQuery);
      if (query instanceof Refusal) return query;
      const named = this.version(request, caller, query.version);
      if (named instanceof Refusal) return named;
      const found = await this.past(request, caller, query);
      return found instanceof Refusal ? found : this.toolAnswer(caller, named, found);
    });
  }

  @Get('tools/:name/trust/events')
  events(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const query = queryOf(request, trustEventsQuery);
      if (query instanceof Refusal) return query;
      const named = this.version(request, caller, query.version);
      if (named instanceof Refusal) return named;
      const after = query.cursor === undefined ? undefined : cursorPlace(query.cursor);
      if (after === null) return invalid('/cursor', 'the cursor is none of ours');
      if (!(await this.views.current(seenOf(request)))) return viewsBehind();
      const runs = await this.room.runs({ tenant_id: caller.tenant_id, ...named, limit: query.limit, ...(after ? { after } : {}) });
      const last = runs.at(-1);
      const items = runs.map(({ topic, partition, offset, runs: _, ...of }) => ({
        position: positionText({ topic, partition, offset }),
        ...of,
      }));
      const next_cursor =
        last && runs.length === query.limit ? cursorText({ at: last.offset, id: `${last.topic}:${last.partition}` }) : null;
      return ok({ items, next_cursor });
    });
  }

  @Get('trust/providers/:provider')
  provider(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const found = await this.past(request, caller, request.query ?? {});
      if (found instanceof Refusal) return found;
      const { provider } = request.params as { provider: string };
      if (!found.scores.providers().has(provider)) return new Refusal('not-found', 'no tool of such a provider was ever run');
      const told = this.room.parts.book.scores.get(toldKey(caller.tenant_id, 'provider', provider, null));
      return ok({ provider, score: found.scores.provider(provider), as_of: time(found.scores.at_ms), told: toldFace(told) });
    });
  }

  @Get('trust/agents/:agent')
  agent(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator', 'auditor', 'policy_admin', 'approver'], async (caller) => {
      const found = await this.past(request, caller, request.query ?? {});
      if (found instanceof Refusal) return found;
      const { agent } = request.params as { agent: string };
      const { state, score } = await this.room.agent(caller.tenant_id, agent, found);
      if (state.runs.size === 0 && state.asked === 0) return new Refusal('not-found', 'no call of such an agent is known');
      const { reported_reliability, verified_reliability, unscored, counted, confirmed_at_ms } = score;
      const told = this.room.parts.book.scores.get(toldKey(caller.tenant_id, 'agent', agent, null));
      return ok({
        agent,
        ...scoredFace(score.scored),
        unscored,
        reliability: { reported: reported_reliability, verified: verified_reliability },
        runs: { counted: counted.runs, tools: Object.fromEntries(state.runs) },
        decided: { asked: state.asked, granted: state.granted },
        last_confirmed: time(confirmed_at_ms),
        as_of: time(found.scores.at_ms),
        told: toldFace(told),
      });
    });
  }

  private async toolAnswer(
    caller: Caller,
    { tool, version }: Named,
    found: NonNullable<Awaited<ReturnType<TrustRoom['of']>>>,
  ): Promise<Answer> {
    const score = found.scores.tool(tool, version);
    const part = found.scores.tools.get(tool)?.versions.get(version);
    const spans = await this.room.spans(caller.tenant_id, tool, version);
    const told = this.room.parts.book.scores.get(toldKey(caller.tenant_id, 'tool', tool, version));
    const href = `/v1/tools/${encodeURIComponent(tool)}/trust/events?version=${encodeURIComponent(version)}`;
    return ok({
      tool,
      version,
      ...(score ? toolScoreFace(score, part) : { ...scoredFace(null), unscored: 'never_run' }),
      as_of: time(found.scores.at_ms),
      told: toldFace(told),
      events: eventsFace(spans, href),
    });
  }

  private version(request: HttpRequest, caller: Caller, wanted: string | undefined): Named | Refusal {
    const { name } = request.params as { name: string };
    const { state } = this.configuration;
    const versions = toolVersions(state, caller.tenant_id, name);
    if (versions.length === 0) return noSuchTool(state, caller.tenant_id, name);
    const newest = versions.find(({ lifecycle }) => lifecycle === 'active') ?? versions[0];
    const found = wanted === undefined ? newest : versions.find(({ tool }) => tool.version === wanted);
    return found ? { tool: name, version: found.tool.version } : noSuchVersion(state, caller.tenant_id, name, wanted ?? '');
  }

  private async past(request: HttpRequest, caller: Caller, given: unknown) {
    const { as_of, at_offset } = (given ?? {}) as { as_of?: string; at_offset?: string };
    const query = parseBody(pastMoment, {
      ...(as_of === undefined ? {} : { as_of }),
      ...(at_offset === undefined ? {} : { at_offset }),
    });
    if (query instanceof Refusal) return query;
    const asked = this.momentOf(query);
    if (asked instanceof Refusal) return asked;
    if (!(await this.views.current(seenOf(request)))) return viewsBehind();
    return (await this.room.of(caller.tenant_id, asked)) ?? invalid('/at_offset', 'there is no such record');
  }

  private momentOf({ as_of, at_offset }: { as_of?: string | undefined; at_offset?: string | undefined }): PastMoment | undefined | Refusal {
    if (as_of !== undefined && at_offset !== undefined) return invalid('/at_offset', 'as_of and at_offset name two moments: give one');
    if (as_of !== undefined) return { at_ms: Date.parse(as_of) };
    if (at_offset === undefined) return undefined;
    const [at] = parsePositions(at_offset);
    if (!at || !this.room.hasTopic(at.topic, at.partition)) return invalid('/at_offset', 'is <topic>:<partition>:<offset> of a record');
    return at;
  }
}

interface Named {
  tool: string;
  version: string;
}

function cursorPlace(cursor: string): { topic: string; partition: number; offset: number } | null {
  const at: Cursor | undefined = parseCursor(cursor);
  const [topic, partition] = at?.id.split(':') ?? [];
  return at && topic !== undefined && /^\d{1,5}$/.test(partition ?? '') ? { topic, partition: Number(partition), offset: at.at } : null;
}
