import { type CallAnswer, Calls, Refusal } from '@countersign/calls';
import { resolveVersion } from '@countersign/domain';
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { lacksRole } from '../authentication/authenticator.js';
import { SUBMITTERS } from '../calls/call-posts.service.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { REQUEST_ID_ATTRIBUTE } from '../http/request-id.js';
import { AnsweredCall } from './answered-call.js';
import { callOfRequest, type IdentifiedCall, type ToolCallParams } from './call-of-request.js';
import { resultOfEnvelope, resultOfRefusal } from './envelope-result.js';
import type { Exchange } from './exchange.js';
import { McpSettings } from './mcp-settings.js';
import { takesOccurrence } from './tool-form.js';

/** `tools/call` of a tool of the registry: the same pipeline as `POST /v1/calls`. */
@Injectable()
export class ToolCallsService {
  constructor(
    private readonly calls: Calls,
    private readonly configuration: ConfigurationService,
    private readonly settings: McpSettings,
  ) {}

  async call(params: ToolCallParams, exchange: Exchange): Promise<CallToolResult> {
    const answer = await this.answer(params, exchange);
    return answer instanceof Refusal ? refused(answer) : resultOfEnvelope(answer.envelope);
  }

  private async answer(params: ToolCallParams, exchange: Exchange): Promise<Pick<CallAnswer, 'envelope'> | Refusal> {
    const { caller } = exchange;
    const lacking = lacksRole(caller, SUBMITTERS);
    if (lacking) return lacking;
    const call = callOfRequest(params, exchange, this.takesOccurrence(caller.tenant_id, params.name));
    if (call instanceof Refusal) return call;
    const started_ms = performance.now();
    const answer = await this.submitted(call, exchange);
    if (answer instanceof Refusal || answer.ended) return answer;
    const left_ms = this.settings.wait_ms - (performance.now() - started_ms);
    return left_ms > 0 ? this.calls.wait({ caller, call_id: answer.state.call_id }, left_ms) : answer;
  }

  private async submitted({ request, idempotency_key }: IdentifiedCall, exchange: Exchange): Promise<CallAnswer | Refusal> {
    const sink = new AnsweredCall();
    const { caller, traceparent, http_request_id } = exchange;
    const by = {
      caller,
      idempotency_key,
      traceparent,
      wait_ms: this.settings.wait_ms,
      span_name: 'mcp tools/call',
      span_attributes: { [REQUEST_ID_ATTRIBUTE]: http_request_id },
      warns_of_deprecation: true,
    };
    await this.calls.submit(request, by, sink);
    return sink.result;
  }

  private takesOccurrence(tenant_id: string, tool: string): boolean {
    const found = resolveVersion(this.configuration.state, tenant_id, tool, undefined);
    return 'tool' in found && takesOccurrence(found.tool.contract);
  }
}

/** An unknown tool is an error of the request, as the specification says; every other refusal is one that the model can read. */
function refused(refusal: Refusal): CallToolResult {
  if (refusal.kind === 'unknown-tool') throw new ProtocolError(ProtocolErrorCode.InvalidParams, refusal.detail);
  return resultOfRefusal(refusal);
}
