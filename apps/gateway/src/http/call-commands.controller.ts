import { type Caller, type CallName, Calls, type Intervention, Refusal } from '@countersign/calls';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { parseBody } from '../requests/body-issues.js';
import { readingHeaders } from './call-reading.js';
import { Face } from './face.js';
import { positionText, seenOf } from './positions.js';
import { locationOf } from './post-reply.js';
import type { Answer, HttpReply, HttpRequest } from './reply.js';

export const cancelRequest = z.strictObject({ reason: z.string().min(1).max(1000).optional() }).prefault({});

export const resolveRequest = z.strictObject({
  resolution: z.enum(['happened', 'did_not_happen']),
  output: z.unknown().optional().describe('what the tool would have answered, where it happened'),
  reason: z.string().min(1).max(2000),
});

/** `/v1/calls/{call_id}/cancel` and `/resolve`. */
@Controller('v1/calls')
export class CallCommandsController {
  constructor(
    private readonly face: Face,
    private readonly calls: Calls,
  ) {}

  @Post(':call_id/cancel')
  @HttpCode(200)
  cancel(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['agent', 'operator'], async (caller) => {
      const body = parseBody(cancelRequest, request.body ?? undefined);
      return body instanceof Refusal ? body : answer(await this.calls.cancel(named(request, caller), body.reason));
    });
  }

  @Post(':call_id/resolve')
  @HttpCode(200)
  resolve(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], async (caller) => {
      const body = parseBody(resolveRequest, request.body);
      return body instanceof Refusal ? body : answer(await this.calls.resolve(named(request, caller), body));
    });
  }
}

const named = (request: HttpRequest, caller: Caller): CallName => ({
  caller,
  call_id: (request.params as { call_id: string }).call_id,
  seen: seenOf(request),
});

/** 200 with the end, or 202 with the call as it is while it takes longer. */
function answer(made: Intervention | Refusal): Answer | Refusal {
  if (made instanceof Refusal) return made;
  const { reached, at, state, envelope } = made;
  const position: Record<string, string> = at ? { 'countersign-position': positionText(at) } : {};
  const headers = reached ? position : { location: locationOf(state.call_id) };
  return { status: reached ? 200 : 202, text: envelope, headers: { ...headers, ...readingHeaders(made) } };
}
