import { type Caller, Refusal } from '@countersign/calls';
import { DEFAULT_TENANT } from '@countersign/contracts';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { LogDrop } from './log-drop.js';
import { logDropAnswer, logDropRequest } from './personal-data.schemas.js';

/** `POST /v1/log/drops`: deletes old records of calls behind a checkpoint that covers them. */
@ApiTags('personal data')
@Controller('v1/log/drops')
export class LogDropsController {
  constructor(private readonly drops: LogDrop) {}

  @Post()
  @Roles('admin')
  @ApiOperation({ summary: 'Drop old call records that a checkpoint covers' })
  @Answer(logDropAnswer)
  async drop(
    @CurrentCaller() { tenant_id, principal }: Caller,
    @Body({ schema: logDropRequest }) { keep_months, dry_run }: z.infer<typeof logDropRequest>,
  ) {
    if (tenant_id !== DEFAULT_TENANT)
      return new Refusal('forbidden', `only admins of tenant ${DEFAULT_TENANT} can drop records`, { reason: 'default_tenant_required' });
    const plan = await this.drops.plan(keep_months);
    if (plan instanceof Refusal) return plan;
    const outcome = dry_run ? null : await this.drops.drop(tenant_id, plan, principal);
    if (outcome instanceof Refusal) return outcome;
    return {
      dry_run,
      before: new Date(plan.before_ms).toISOString(),
      checkpoint_size: plan.checkpoint.record.number + 1,
      records_below: Object.fromEntries([...plan.due].map(([tree, { below }]) => [tree, below])),
      dropped: outcome?.dropped ?? null,
      waits_for: outcome?.waits_for ?? null,
    };
  }
}
