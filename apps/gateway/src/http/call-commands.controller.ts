import { type Caller, CallSealer, envelopeText, isAnswer, Refusal, seenBy } from '@countersign/calls';
import { type CallState, type PlacedEvent, statusOf, terminalStatuses } from '@countersign/domain';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { parseBody } from './body-issues.js';
import { Face } from './face.js';
import { KnownCalls } from './known-calls.js';
import { positionText } from './positions.js';
import type { Answer, HttpReply, HttpRequest } from './reply.js';

export const cancelRequest = z.strictObject({ reason: z.string().min(1).max(1000).optional() }).prefault({});

export const resolveRequest = z.strictObject({
  resolution: z.enum(['happened', 'did_not_happen']),
  output: z.unknown().optional().describe('what the tool would have answered, where it happened'),
  reason: z.string().min(1).max(2000),
});

const PATIENCE_MS = 5_000;

interface Seen {
  state: CallState;
  at: PlacedEvent | undefined;
}

/** `/v1/calls/{call_id}/cancel` and `/resolve`. */
@Controller('v1/calls')
export class CallCommandsController {
  constructor(
    private readonly face: Face,
    private readonly calls: KnownCalls,
    private readonly sealer: CallSealer,
  ) {}

  @Post(':call_id/cancel')
  @HttpCode(200)
  cancel(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['agent', 'operator'], async (caller) => {
      const body = parseBody(cancelRequest, request.body ?? undefined);
      if (body instanceof Refusal) return body;
      const state = await this.find(request, caller);
      if (state instanceof Refusal) return state;
      if (!mayCancel(caller, state)) return new Refusal('forbidden', 'an agent cancels its own calls; others need the role operator');
      const status = statusOf(state);
      if (terminalStatuses.has(status)) return new Refusal('conflict', `the call has ended: ${status}`);
      if (status === 'in_doubt') return new Refusal('conflict', 'nobody can tell whether the call happened: it is resolved, not cancelled');
      const reason = await this.sealer.text(caller.tenant_id, state.call, body.reason ?? null);
      if (reason instanceof Refusal) return reason;
      const fields = { principal: caller.principal, reason, requested_at_ms: this.calls.commands.clock.now_ms() };
      const seen = await this.calls.tell('tool_call_cancel_requested', state, fields, { check: answered, timeout_ms: PATIENCE_MS });
      return this.answer(caller, state, seen);
    });
  }

  @Post(':call_id/resolve')
  @HttpCode(200)
  resolve(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator'], async (caller) => {
      const body = parseBody(resolveRequest, request.body);
      if (body instanceof Refusal) return body;
      const state = await this.find(request, caller);
      if (state instanceof Refusal) return state;
      const status = statusOf(state);
      if (status !== 'in_doubt') return new Refusal('conflict', `only a call in doubt is resolved; this one is ${status}`);
      const { resolution } = body;
      const reason = await this.sealer.text(caller.tenant_id, state.call, body.reason);
      if (reason instanceof Refusal) return reason;
      const said = resolution === 'happened' && body.output !== undefined ? JSON.stringify(body.output) : null;
      const output_json = await this.sealer.output(caller.tenant_id, state.call, said);
      if (output_json instanceof Refusal) return output_json;
      const requested_at_ms = this.calls.commands.clock.now_ms();
      const fields = { principal: caller.principal, resolution, reason: reason as string, output_json, requested_at_ms };
      const seen = await this.calls.tell('tool_call_resolve_requested', state, fields, { check: ended, timeout_ms: PATIENCE_MS });
      return this.answer(caller, state, seen);
    });
  }

  private find(request: HttpRequest, caller: Caller): Promise<CallState | Refusal> {
    return this.calls.find(request, caller.tenant_id, (request.params as { call_id: string }).call_id);
  }

  /** 200 with the end, or 202 with the call as it is while it takes longer. */
  private answer(caller: Caller, state: CallState, seen: Seen | undefined): Answer {
    if (!seen) return { status: 202, text: envelopeText(seenBy(state, caller)), headers: { location: `/v1/calls/${state.call_id}` } };
    this.calls.noted(seen.at);
    const headers: Record<string, string> = seen.at ? { 'countersign-position': positionText(seen.at) } : {};
    return { status: 200, text: envelopeText(seenBy(seen.state, caller)), headers };
  }
}

/** What a cancellation may lead to: a write that is stopped under way may end in doubt. */
function answered(state: CallState, at: PlacedEvent | undefined): Seen | undefined {
  return isAnswer(statusOf(state)) ? { state, at } : undefined;
}

function ended(state: CallState, at: PlacedEvent | undefined): Seen | undefined {
  return terminalStatuses.has(statusOf(state)) ? { state, at } : undefined;
}

function mayCancel(caller: Caller, state: CallState): boolean {
  const { id, roles } = caller.principal;
  return roles.includes('operator') || roles.includes('admin') || state.call?.principal.id === id;
}
