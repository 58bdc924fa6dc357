import { Refusal } from '@countersign/calls';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { SubjectRoom } from '../personal/subject-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

export const eraseRequest = z.strictObject({ reason: z.string().min(1).max(1000).describe('kept on the record: name nobody in it') });

/** `/v1/subjects`: erasure. Who is known is not told: every subject is answered alike. */
@Controller('v1/subjects')
export class SubjectsController {
  constructor(
    private readonly face: Face,
    private readonly room: SubjectRoom,
  ) {}

  @Post(':subject_id/erase')
  @HttpCode(200)
  erase(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], async ({ tenant_id, principal }) => {
      const body = parseBody(eraseRequest, request.body);
      if (body instanceof Refusal) return body;
      const { subject_id } = request.params as { subject_id: string };
      const { subject, event_id, erased_at_ms, offset } = await this.room.erase(tenant_id, subject_id, { ...body, by: principal });
      return ok({
        subject,
        status: 'erased',
        erased_at: new Date(erased_at_ms).toISOString(),
        event_id,
        proof_url: `/v1/audit/proof?topic=configuration-changed&partition=0&offset=${offset}`,
      });
    });
  }
}
