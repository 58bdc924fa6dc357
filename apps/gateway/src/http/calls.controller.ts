import { envelopeText, Refusal, seenBy, statuses } from '@countersign/calls';
import { unpackCall } from '@countersign/domain';
import { listCalls } from '@countersign/store';
import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { CallIntake } from './call-intake.js';
import { Face } from './face.js';
import { KnownCalls } from './known-calls.js';
import { listed } from './lists.js';
import { type Answer, type HttpReply, type HttpRequest, type IncomingRequest, type OutgoingReply, okText, sendProblem } from './reply.js';

export const callFilters = {
  status: z.enum(statuses).optional(),
  case_id: z.string().min(1).max(100).optional(),
  run_id: z.string().min(1).max(200).optional(),
  tool: z.string().min(1).max(128).optional(),
};

/** `/v1/calls`: submit, read, list. */
@Controller('v1/calls')
export class CallsController {
  constructor(
    private readonly face: Face,
    private readonly intake: CallIntake,
    private readonly calls: KnownCalls,
  ) {}

  @Post()
  @HttpCode(200)
  submit(@Req() request: IncomingRequest, @Res() reply: OutgoingReply): void | Promise<void> {
    const caller = this.face.admit(request, ['agent', 'operator']);
    try {
      if (caller instanceof Refusal) sendProblem(request, reply, caller);
      else return this.intake.post(request, reply, caller)?.catch((cause) => this.face.fault(request, reply, cause));
    } catch (cause) {
      this.face.fault(request, reply, cause);
    }
  }

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller): Promise<Answer | Refusal> => {
      const query = listed(request, callFilters);
      if (query instanceof Refusal) return query;
      const told = await this.calls.views.told(request);
      const page = await listCalls(this.calls.views.store, { tenant_id: caller.tenant_id, ...query });
      const items = page.items.map((row) => envelopeText(seenBy(unpackCall(row.state), caller)));
      return okText(`{"items":[${items.join(',')}],"next_cursor":${JSON.stringify(page.next_cursor)}}`, told);
    });
  }

  @Get(':call_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const state = await this.calls.find(request, caller.tenant_id, (request.params as { call_id: string }).call_id);
      if (state instanceof Refusal) return state;
      return okText(envelopeText(seenBy(state, caller), { effect: await this.intake.effects.of(state) }));
    });
  }
}
