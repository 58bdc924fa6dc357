import { type Caller, RecordedCalls, Refusal, type Seen } from '@countersign/calls';
import { type CallState, observedMode, usageFacts } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { positionText } from '../http/positions.js';
import type { WithHeaders } from '../http/with-headers.js';
import { OperatorCommands } from '../usage/operator-commands.js';
import type { ModeCorrection, ModeRequest } from './approval-modes.schemas.js';

/** What a correction records of the call; undefined where it has no ruling or nothing answered it. */
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

/** Which approval mode a call should have had. It is counted, and changes no call. */
@Injectable()
export class ApprovalModesService {
  constructor(
    private readonly calls: RecordedCalls,
    private readonly commands: OperatorCommands,
  ) {}

  async correct(caller: Caller, call_id: string, body: ModeRequest, seen: Seen): Promise<WithHeaders<ModeCorrection> | Refusal> {
    const { tenant_id, principal: by } = caller;
    const state = await this.calls.find(tenant_id, call_id, seen);
    if (state instanceof Refusal) return state;
    const about = answeredCall(state);
    if (!about) return new Refusal('conflict', 'nothing answered the call yet: its effect is not known');
    const reason = await this.commands.sealer.text(tenant_id, state.call, body.reason ?? null);
    if (reason instanceof Refusal) return reason;
    const correction = { ...about, mode_corrected: body.approval_mode, reason };
    const at = await this.commands.say(tenant_id, 'approval_mode_corrected', { ...correction, by });
    this.calls.views.answered.note(at);
    const { mode_effective, mode_observed, mode_corrected } = correction;
    const modes = { mode_effective, mode_observed, mode_corrected, misclassified: mode_corrected !== mode_effective };
    return { body: { call_id: about.call_id, ...modes, reason }, headers: { 'countersign-position': positionText(at) } };
  }
}
