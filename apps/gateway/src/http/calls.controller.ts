import { parseCallId } from '@countersign/contracts';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { CallIntake } from './call-intake.js';
import { envelopeText } from './envelope.js';
import { Face } from './face.js';
import { Problem } from './problem.js';
import { type Answer, type HttpReply, type HttpRequest, okText, sendProblem } from './reply.js';
import { Views } from './views.js';

export const noSuchCall = (): Problem => new Problem('not-found', 'there is no call of this id');

/** `/v1/calls`: submit and read. */
@Controller('v1/calls')
export class CallsController {
  constructor(
    private readonly face: Face,
    private readonly intake: CallIntake,
    private readonly views: Views,
  ) {}

  @Post()
  submit(@Req() request: HttpRequest, @Res() reply: HttpReply): void {
    const caller = this.face.admit(request, ['agent', 'operator']);
    try {
      if (caller instanceof Problem) sendProblem(request, reply, caller);
      else this.intake.post(request, reply, caller);
    } catch (cause) {
      this.face.fault(request, reply, cause);
    }
  }

  @Get(':call_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => this.one(request, caller.tenant_id));
  }

  private async one(request: HttpRequest, tenantId: string): Promise<Answer | Problem> {
    const { call_id } = request.params as { call_id: string };
    const id = parseCallId(call_id);
    if (!id) return noSuchCall();
    await this.views.current(request, id.partition);
    const state = await this.views.call(tenantId, call_id);
    return state ? okText(envelopeText(state)) : noSuchCall();
  }
}
