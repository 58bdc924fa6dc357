import { RecordedCalls, Refusal } from '@countersign/calls';
import type { ApprovalMode } from '@countersign/contracts';
import { type CallState, observedMode, usageFacts } from '@countersign/domain';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { parseBody } from '../requests/body-issues.js';
import { UsageRoom } from '../usage/usage-room.js';
import { Face } from './face.js';
import { positionText, seenOf } from './positions.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

const modes = ['read_only', 'network', 'local_write', 'delegated', 'destructive'] as const satisfies readonly ApprovalMode[];

export const modeRequest = z.strictObject({
  approval_mode: z.enum(modes).describe('what the call turned out to be; the effective one takes a correction back'),
  reason: z.string().min(1).max(2000).optional(),
});

/** `POST /v1/calls/{call_id}/approval-mode`: which approval mode a call should have had. It is counted, and changes no call. */
@Controller('v1/calls')
export class ApprovalModesController {
  constructor(
    private readonly face: Face,
    private readonly calls: RecordedCalls,
    private readonly room: UsageRoom,
  ) {}

  @Post(':call_id/approval-mode')
  @HttpCode(200)
  correct(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], async (caller) => {
      const body = parseBody(modeRequest, request.body);
      if (body instanceof Refusal) return body;
      const call_id = (request.params as { call_id: string }).call_id;
      const state = await this.calls.find(caller.tenant_id, call_id, seenOf(request));
      if (state instanceof Refusal) return state;
      const about = answeredCall(state);
      if (!about) return new Refusal('conflict', 'nothing answered the call yet: its effect is not known');
      const reason = await this.room.commands.sealer.text(caller.tenant_id, state.call, body.reason ?? null);
      if (reason instanceof Refusal) return reason;
      const correction = { ...about, mode_corrected: body.approval_mode, reason };
      const at = await this.room.commands.say(caller.tenant_id, 'approval_mode_corrected', { ...correction, by: caller.principal });
      this.calls.views.answered.note(at);
      const { call_id: id, mode_effective, mode_observed, mode_corrected } = correction;
      const misclassified = mode_corrected !== mode_effective;
      return ok(
        { call_id: id, mode_effective, mode_observed, mode_corrected, misclassified, reason },
        { 'countersign-position': positionText(at) },
      );
    });
  }
}

/** What a correction says of the call; undefined where it has no ruling or nothing answered it. */
function answeredCall(state: CallState) {
  const { call_id, call, ruling } = state;
  const answered = usageFacts(state)[0];
  if (!call || !ruling || !answered) return undefined;
  return {
    call_id,
    tool: call.tool,
    version: call.version,
    agent: call.principal.id,
    answered_at_ms: answered.at_ms,
    mode_effective: ruling.approval_mode_effective,
    mode_observed: observedMode(state) ?? null,
  };
}
