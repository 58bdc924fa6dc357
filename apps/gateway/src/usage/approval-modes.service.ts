import { type Caller, RecordedCalls, Refusal, type Seen } from '@countersign/calls';
import { type CallState, observedMode, usageFacts } from '@countersign/domain';
import type { LogPosition } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import type { CorrectedMode, ModeRequest } from './approval-modes.schemas.js';
import { OperatorCommands } from './operator-commands.js';

/** The recorded fields for a correction; undefined if the call has no decision or no answer. */
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

/** Corrections of approval modes. A correction is counted and changes no call. */
@Injectable()
export class ApprovalModesService {
  constructor(
    private readonly calls: RecordedCalls,
    private readonly commands: OperatorCommands,
  ) {}

  async correct(
    { tenant_id, principal }: Caller,
    call_id: string,
    body: ModeRequest,
    seen: Seen,
  ): Promise<{ corrected: CorrectedMode; at: LogPosition } | Refusal> {
    const state = await this.calls.find(tenant_id, call_id, seen);
    if (state instanceof Refusal) return state;
    const about = answeredCall(state);
    if (!about) return new Refusal('conflict', 'the call has not ended: its effect is not known yet', { reason: 'call_not_ended' });
    const reason = await this.commands.sealer.text(tenant_id, state.call, body.reason ?? null);
    if (reason instanceof Refusal) return reason;
    const mode_corrected = body.approval_mode;
    const at = await this.commands.say(tenant_id, 'approval_mode_corrected', { ...about, mode_corrected, reason, by: principal });
    this.calls.views.answered.note(at);
    const { mode_effective, mode_observed } = about;
    const misclassified = mode_corrected !== mode_effective;
    return { corrected: { call_id: about.call_id, mode_effective, mode_observed, mode_corrected, misclassified, reason }, at };
  }
}
