import { Refusal } from '@countersign/calls';
import { type EntriesAnswer, EntriesReader } from '@countersign/evidence';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { entriesAnswer, headsAnswer } from './audit-answers.schemas.js';
import { entriesQuery, headsQuery } from './audit-queries.schemas.js';
import { notProven } from './cosigned-only.js';

/** `/v1/audit/heads` and `/entries`: input for witnesses and `verify --since`. Only hashes and tree names, equal for every tenant. */
@ApiTags('audit')
@Roles('auditor')
@Controller('v1/audit')
export class AuditEntriesController {
  constructor(private readonly reader: EntriesReader) {}

  @Get('heads')
  @ApiOperation({ summary: 'Read the tree heads that a checkpoint covers' })
  @Answer(headsAnswer)
  async heads(@Query({ schema: headsQuery }) { size }: z.infer<typeof headsQuery>) {
    return answerOf(await this.reader.heads(size), `no checkpoint has the size ${size ?? 1}`);
  }

  @Get('entries')
  @ApiOperation({ summary: 'Read checkpoint entries in order, with a consistency proof for each changed tree' })
  @Answer(entriesAnswer)
  async entries(@Query({ schema: entriesQuery }) { first, second }: z.infer<typeof entriesQuery>) {
    if (second !== undefined && second <= first) return outOfOrder(first, second);
    return answerOf(await this.reader.entries(first, second), `no checkpoint has the size ${first}`);
  }
}

const outOfOrder = (first: number, second: number): Refusal =>
  new Refusal('invalid-request', `second is ${second}: it must be larger than first (${first})`, {
    issues: [{ path: '/second', code: 'too_small', message: `is ${second}: it must be larger than ${first}` }],
  });

function answerOf<T>(answer: EntriesAnswer<T>, missing: string): T | Refusal {
  if (answer.kind === 'not_found') return new Refusal('not-found', missing, { reason: 'audit_record_not_found' });
  if (answer.kind === 'broken') return notProven(`the stored hashes do not prove the entries: ${answer.reason}`);
  return answer.found;
}
