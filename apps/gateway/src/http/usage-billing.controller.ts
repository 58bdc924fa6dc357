import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Caller, Refusal, Views } from '@countersign/calls';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { billingPages, billingTotals } from '../usage/billing.js';
import { type BillingFormat, billingFormats } from '../usage/billing-line.js';
import { type BillingPeriod, billingPeriod } from '../usage/billing-period.js';
import { UsageRoom } from '../usage/usage-room.js';
import { Face } from './face.js';
import { queryOf } from './from-query.js';
import { behindHeader } from './positions.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

export const billingQuery = {
  period: z.string().describe('a month, `2026-11`, UTC'),
  format: z.enum(['ndjson', 'csv']).default('ndjson'),
  provisional: z.enum(['true', 'false']).default('false').describe('true: also of a month that is not over; its numbers still change'),
};

const notOver = ({ period, ends_at_ms }: BillingPeriod): Refusal =>
  new Refusal(
    'conflict',
    `${period} is not closed yet: it ends ${new Date(ends_at_ms).toISOString()} and is closed once all of it is folded`,
  );

/** `/v1/usage/billing`: a month's billing lines, the same whenever they are asked for once the month is closed. */
@Controller('v1/usage/billing')
export class UsageBillingController {
  constructor(
    private readonly face: Face,
    private readonly room: UsageRoom,
    private readonly views: Views,
  ) {}

  @Get()
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator', 'auditor'], async (caller) => {
      const answer = await this.answer(request, caller);
      if (answer instanceof Refusal) return answer;
      reply.hijack();
      reply.raw.writeHead(200, answer.headers);
      // Broken off, the connection is cut: a reader must not take a part for the whole.
      await pipeline(answer.lines, reply.raw).catch(() => reply.raw.destroy());
      return { status: 200 };
    });
  }

  @Get('periods')
  periods(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator', 'auditor'], (caller) => ok({ items: this.room.closedPeriods(caller.tenant_id) }));
  }

  private async answer(request: HttpRequest, caller: Caller): Promise<Refusal | { lines: Readable; headers: Record<string, string> }> {
    const query = queryOf(request, billingQuery);
    if (query instanceof Refusal) return query;
    const period = billingPeriod(query.period);
    if (!period)
      return new Refusal('invalid-request', 'a period is a month as 2026-11', {
        issues: [{ path: '/period', code: 'format', message: 'is no month' }],
      });
    const told = await behindHeader(this.views, request);
    const closed = await this.room.closer.closed(caller.tenant_id, period);
    if (!closed && query.provisional !== 'true') return notOver(period);
    if (closed) {
      const totals = await billingTotals(this.views.store, caller.tenant_id, period);
      if (totals.digest !== closed.digest)
        return new Refusal('unavailable', `the lines of ${period} are not those that it was closed with: the views are being folded again`);
    }
    const lines = Readable.from(this.text(caller.tenant_id, period, query.format));
    const headers: Record<string, string> = {
      ...told,
      'content-type': billingFormats[query.format].content_type,
      'cache-control': 'no-store',
      'countersign-period': closed ? 'closed' : 'provisional',
    };
    if (closed) headers['countersign-lines-digest'] = `sha-256:${closed.digest}`;
    return { lines, headers };
  }

  private async *text(tenant_id: string, period: BillingPeriod, format: BillingFormat): AsyncGenerator<string> {
    const { head, line } = billingFormats[format];
    if (head !== '') yield head;
    for await (const page of billingPages(this.views.store, tenant_id, period)) yield page.map(line).join('');
  }
}
