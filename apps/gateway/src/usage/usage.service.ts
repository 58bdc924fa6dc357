import { type Caller, Refusal, type Seen, Views, viewsBehind } from '@countersign/calls';
import { HOUR_MS } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { type UsageAnswer, type UsageRequest, usageCursor } from './usage.schemas.js';
import { UsageReport } from './usage-report.js';

const DAYS_DEFAULT = 30;
const HOURS_MAX = 24 * 400;

const isoOfHour = (hour: number): string => new Date(hour * HOUR_MS).toISOString();
const outOfRange = (path: string, message: string): Refusal =>
  new Refusal('invalid-request', message, { issues: [{ path, code: 'range', message }] });

/** A principal that may only submit calls sees only its own usage. */
function agentOf({ principal }: Caller, requested: string | undefined): string | undefined {
  const seesAll = principal.roles.some((role) => role === 'operator' || role === 'auditor' || role === 'admin');
  return seesAll ? requested : principal.id;
}

/** Number, outcome, latency and cost of calls. */
@Injectable()
export class UsageService {
  constructor(
    private readonly report: UsageReport,
    private readonly configuration: ConfigurationService,
    private readonly views: Views,
  ) {}

  async read(caller: Caller, query: UsageRequest, seen: Seen): Promise<UsageAnswer | Refusal> {
    const hours = this.hoursOf(query);
    if (hours instanceof Refusal) return hours;
    if (!(await this.views.current(seen))) return viewsBehind();
    const { from_hour, to_hour } = hours;
    const [starts_at, ends_at] = [isoOfHour(from_hour), isoOfHour(to_hour)];
    const agent = agentOf(caller, query.agent);
    const about = { tenant_id: caller.tenant_id, ...hours, tool: query.tool, agent };
    const { total, items, next } = await this.report.read(about, query.group_by, { limit: query.limit, after: query.cursor });
    return {
      starts_at,
      ends_at,
      from: starts_at,
      to: ends_at,
      group_by: query.group_by,
      agent: agent ?? null,
      total,
      items,
      next_cursor: next === undefined ? null : usageCursor(next),
    };
  }

  /** Whole hours since 1970. */
  private hoursOf({ from, to }: UsageRequest): { from_hour: number; to_hour: number } | Refusal {
    const to_ms = to === undefined ? this.configuration.clock.now_ms() + HOUR_MS : Date.parse(to);
    const from_ms = from === undefined ? to_ms - DAYS_DEFAULT * 24 * HOUR_MS : Date.parse(from);
    const [from_hour, to_hour] = [Math.floor(from_ms / HOUR_MS), Math.ceil(to_ms / HOUR_MS)];
    if (to_hour <= from_hour) return outOfRange('/to', '`to` must be after `from`');
    return to_hour - from_hour > HOURS_MAX ? outOfRange('/from', 'the range may have at most 400 days') : { from_hour, to_hour };
  }
}
