import { type Caller, Refusal, Views, viewsBehind } from '@countersign/calls';
import { HOUR_MS } from '@countersign/domain';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { ConfigurationRoom } from '../configuration/configuration-room.js';
import { usageGroups } from '../usage/usage-report.js';
import { UsageRoom } from '../usage/usage-room.js';
import { Face } from './face.js';
import { fromQuery, queryOf } from './from-query.js';
import { LIMIT_MAX } from './lists.js';
import { seenOf } from './positions.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

const DAYS_DEFAULT = 30;
const HOURS_MAX = 24 * 400;

export const usageQuery = {
  group_by: z.enum(usageGroups).default('tool'),
  from: z.iso.datetime({ offset: true }).optional().describe('rounded down to the hour; default 30 days before `to`'),
  to: z.iso.datetime({ offset: true }).optional().describe('rounded up to the hour; default now'),
  tool: z.string().min(1).max(200).optional(),
  agent: z.string().min(1).max(400).optional().describe('id of the principal that called'),
  limit: fromQuery(z.number().int().min(1).max(LIMIT_MAX)).default(100),
  cursor: z.string().max(2000).optional(),
};

const invalid = (path: string, message: string): Refusal =>
  new Refusal('invalid-request', message, { issues: [{ path, code: 'range', message }] });

/** The name after which the next page begins. */
function afterOf(cursor: string | undefined): string | undefined | Refusal {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  return text.startsWith('u|') ? text.slice(2) : invalid('/cursor', 'the cursor is none of ours');
}

/** Whoever may only call sees what it used itself. */
function agentOf(caller: Caller, asked: string | undefined): string | undefined {
  const seesAll = caller.principal.roles.some((role) => role === 'operator' || role === 'auditor' || role === 'admin');
  return seesAll ? asked : caller.principal.id;
}

/** `GET /v1/usage`: what was called, how it went, how long it took and what it cost. */
@Controller('v1/usage')
export class UsageController {
  constructor(
    private readonly face: Face,
    private readonly room: UsageRoom,
    private readonly configuration: ConfigurationRoom,
    private readonly views: Views,
  ) {}

  @Get()
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator', 'auditor', 'agent'], async (caller) => {
      const query = queryOf(request, usageQuery);
      if (query instanceof Refusal) return query;
      const to_ms = query.to === undefined ? this.configuration.clock.now_ms() + HOUR_MS : Date.parse(query.to);
      const from_ms = query.from === undefined ? to_ms - DAYS_DEFAULT * 24 * HOUR_MS : Date.parse(query.from);
      const [from_hour, to_hour] = [Math.floor(from_ms / HOUR_MS), Math.ceil(to_ms / HOUR_MS)];
      if (to_hour <= from_hour) return invalid('/to', '`to` is not after `from`');
      if (to_hour - from_hour > HOURS_MAX) return invalid('/from', 'at most 400 days at once');
      const after = afterOf(query.cursor);
      if (after instanceof Refusal) return after;
      if (!(await this.views.current(seenOf(request)))) return viewsBehind();
      const asked = { tenant_id: caller.tenant_id, from_hour, to_hour, tool: query.tool, agent: agentOf(caller, query.agent) };
      const { total, items, next } = await this.room.report.read(asked, query.group_by, { limit: query.limit, after });
      return ok({
        from: new Date(from_hour * HOUR_MS).toISOString(),
        to: new Date(to_hour * HOUR_MS).toISOString(),
        group_by: query.group_by,
        agent: asked.agent ?? null,
        total,
        items,
        next_cursor: next === undefined ? null : Buffer.from(`u|${next}`).toString('base64url'),
      });
    });
  }
}
