import { Refusal } from '@countersign/calls';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { DEFAULT_TENANT } from '../identity/tenants.js';
import { LogDrop } from '../personal/log-drop.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

export const logDropRequest = z.strictObject({
  keep_months: z.int().min(1).max(1200).describe('records of calls that are younger stay, of all tenants'),
  dry_run: z.boolean().default(false).describe('only says what would go'),
});

/** `POST /v1/log/drops`: old records of calls go, behind a checkpoint that covers them. */
@Controller('v1/log/drops')
export class LogDropsController {
  constructor(
    private readonly face: Face,
    private readonly drops: LogDrop,
  ) {}

  @Post()
  @HttpCode(200)
  drop(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], async ({ tenant_id, principal }) => {
      if (tenant_id !== DEFAULT_TENANT) return new Refusal('forbidden', `records are dropped by admins of tenant ${DEFAULT_TENANT}`);
      const body = parseBody(logDropRequest, request.body);
      if (body instanceof Refusal) return body;
      const plan = await this.drops.plan(body.keep_months);
      if (plan instanceof Refusal) return plan;
      const outcome = body.dry_run ? null : await this.drops.drop(tenant_id, plan, principal);
      if (outcome instanceof Refusal) return outcome;
      return ok({
        dry_run: body.dry_run,
        before: new Date(plan.before_ms).toISOString(),
        checkpoint_size: plan.checkpoint.record.number + 1,
        records_below: Object.fromEntries([...plan.due].map(([tree, { below }]) => [tree, below])),
        dropped: outcome?.dropped ?? null,
        waits_for: outcome?.waits_for ?? null,
      });
    });
  }
}
