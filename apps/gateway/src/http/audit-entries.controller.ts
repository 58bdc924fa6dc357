import { Refusal } from '@countersign/calls';
import type { EntriesAnswer } from '@countersign/evidence';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { AuditRoom } from '../audit/audit-room.js';
import type { Role } from '../identity/authenticator.js';
import { Face } from './face.js';
import { fromQuery, queryOf } from './from-query.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const AUDITORS: readonly Role[] = ['auditor'];
const whole = (min: number) => fromQuery(z.number().int().min(min).max(Number.MAX_SAFE_INTEGER));

export const headsQuery = { size: whole(1).optional() };
export const entriesQuery = { first: whole(0), second: whole(1).optional() };

/** `/v1/audit/heads` and `/entries`: what a witness and `verify --since` check. Hashes and names of trees; no records, and the same for every tenant. */
@Controller('v1/audit')
export class AuditEntriesController {
  constructor(
    private readonly face: Face,
    private readonly room: AuditRoom,
  ) {}

  /** The heads that the checkpoint of a size covers, or the newest. */
  @Get('heads')
  heads(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, AUDITORS, async () => {
      const query = queryOf(request, headsQuery);
      if (query instanceof Refusal) return query;
      return answerOf(await this.room.entries.heads(query.size), `there is no checkpoint of size ${query.size ?? 1}`);
    });
  }

  /** A page of the entries after the checkpoint of size `first` (0: from the first entry), none after that of size `second`. */
  @Get('entries')
  entries(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, AUDITORS, async () => {
      const query = queryOf(request, entriesQuery);
      if (query instanceof Refusal) return query;
      const { first, second } = query;
      if (second !== undefined && second <= first) {
        return new Refusal('invalid-request', `second is ${second}: it must be larger than first, which is ${first}`, {
          issues: [{ path: '/second', code: 'too_small', message: `is ${second}, and must be larger than ${first}` }],
        });
      }
      return answerOf(await this.room.entries.entries(first, second), `there is no checkpoint of size ${first}`);
    });
  }
}

function answerOf<T>(answer: EntriesAnswer<T>, missing: string): Answer | Refusal {
  if (answer.kind === 'not_found') return new Refusal('not-found', missing);
  if (answer.kind === 'broken') return new Refusal('conflict', `what is stored does not prove it: ${answer.reason}`);
  return ok(answer.found);
}
