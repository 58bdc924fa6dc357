import { Refusal } from '@countersign/calls';
import { itemNames, RETENTION_FLOOR_MONTHS, type RetentionTerms, retentionOf } from '@countersign/domain';
import { Controller, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { always } from '../configuration/configuration-edits.js';
import { RetentionRoom } from '../personal/retention-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

const MONTHS_MAX = 1200;
const months = z.int().min(RETENTION_FLOOR_MONTHS, `nothing is kept for less than ${RETENTION_FLOOR_MONTHS} months`).max(MONTHS_MAX);

/** Body of `PUT /v1/retention`. */
export const retentionRequest = z
  .strictObject({
    floor_months: months.default(RETENTION_FLOOR_MONTHS).describe('no rule may keep for less'),
    rules: z
      .array(z.strictObject({ marking: z.string().min(1).max(100).nullable().default(null).describe('null: of the rest'), months }))
      .max(100),
  })
  .superRefine(({ floor_months, rules }, context) => {
    const known = new Set<string | null>();
    for (const [at, rule] of rules.entries()) {
      if (rule.months < floor_months)
        context.addIssue({ code: 'custom', path: ['rules', at, 'months'], message: `is below the floor of ${floor_months} months` });
      if (known.has(rule.marking)) context.addIssue({ code: 'custom', path: ['rules', at, 'marking'], message: 'has a rule already' });
      known.add(rule.marking);
    }
  });

export const retentionRun = z
  .strictObject({ dry_run: z.boolean().default(false).describe('only says what would be destroyed') })
  .prefault({});

function face(terms: RetentionTerms | undefined): Record<string, unknown> {
  if (!terms) return { version: 0, floor_months: RETENTION_FLOOR_MONTHS, rules: [], by: null, changed_at: null };
  const { by, changed_at_ms, ...rest } = terms;
  return { ...rest, by: by.id, changed_at: new Date(changed_at_ms).toISOString() };
}

/** `/v1/retention`: how long sealed data is kept, by its markings. Runs every hour by itself. */
@Controller('v1/retention')
export class RetentionController {
  constructor(
    private readonly face: Face,
    private readonly room: RetentionRoom,
  ) {}

  @Get()
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) =>
      ok(face(this.terms(tenant_id)), { etag: this.room.configuration.edits.etag(tenant_id, itemNames.retention) }),
    );
  }

  @Put()
  set(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async ({ tenant_id, principal }) => {
      const body = parseBody(retentionRequest, request.body);
      if (body instanceof Refusal) return body;
      const { edits, clock } = this.room.configuration;
      const draft = (): RetentionTerms => {
        const version = (this.terms(tenant_id)?.version ?? 0) + 1;
        return { ...body, version, by: principal, changed_at_ms: clock.now_ms() };
      };
      const edited = await edits.edit(request, { tenant_id, type: 'retention_set', item: itemNames.retention, exists: always, draft });
      return edited instanceof Refusal ? edited : ok(face(edited.fields), { etag: edited.etag });
    });
  }

  @Post('runs')
  @HttpCode(200)
  run(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async ({ tenant_id, principal }) => {
      const body = parseBody(retentionRun, request.body ?? undefined);
      if (body instanceof Refusal) return body;
      const cutoffs = body.dry_run ? await this.room.due(tenant_id) : await this.room.apply(tenant_id, principal);
      return ok({ dry_run: body.dry_run, cutoffs });
    });
  }

  private terms(tenant_id: string): RetentionTerms | undefined {
    return retentionOf(this.room.configuration.state, tenant_id)?.terms;
  }
}
