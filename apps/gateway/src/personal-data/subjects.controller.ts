import type { Caller } from '@countersign/calls';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { eraseRequest, erasureAnswer } from './personal-data.schemas.js';
import { SubjectEraser } from './subject-eraser.js';

/** `/v1/subjects`: erasure. Responds alike for known and unknown subjects. */
@ApiTags('personal data')
@Controller('v1/subjects')
export class SubjectsController {
  constructor(private readonly subjects: SubjectEraser) {}

  @Post(':subject_id/erase')
  @Roles('admin')
  @ApiOperation({ summary: 'Erase a subject by destroying its keys' })
  @Answer(erasureAnswer)
  async erase(
    @CurrentCaller() { tenant_id, principal }: Caller,
    @Param('subject_id') subject_id: string,
    @Body({ schema: eraseRequest }) { reason }: z.infer<typeof eraseRequest>,
  ) {
    const { subject, event_id, erased_at_ms, offset } = await this.subjects.erase(tenant_id, subject_id, { reason, by: principal });
    const proof_url = `/v1/audit/proof?topic=configuration-changed&partition=0&offset=${offset}`;
    return { subject, status: 'erased', erased_at: new Date(erased_at_ms).toISOString(), event_id, proof_url };
  }
}
