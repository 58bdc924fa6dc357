import { type CallAnswer, Calls, Refusal, type Submission } from '@countersign/calls';
import { resolveVersion } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Inject, Injectable } from '@nestjs/common';
import { lacksRole } from '../authentication/authenticator.js';
import { SUBMITTERS } from '../calls/call-posts.service.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { REQUEST_ID_ATTRIBUTE, requestIdOf } from '../http/request-id.js';
import { AnsweredCall } from './answered-call.js';
import { callOfRequest, type IdentifiedCall, type ToolCallParams } from './call-of-request.js';
import type { ClientRequest } from './client-request.js';
import { resultOfEnvelope, resultOfRefusal } from './envelope-result.js';
import { MCP_LOGGER, MCP_SETTINGS, type McpSettings } from './mcp-settings.js';
import { createdTask, type TaskResult } from './task-creation.js';
import { takesOccurrence } from './tool-form.js';
import { WatchedCall } from './watched-call.js';

type Answer = Pick<CallAnswer, 'envelope'> | TaskResult;

/** `tools/call` of a tool of the registry: the same pipeline as `POST /v1/calls`. */
@Injectable()
export class ToolCallsService {
  constructor(
    private readonly calls: Calls,
    private readonly configuration: ConfigurationService,
    @Inject(MCP_SETTINGS) private readonly settings: McpSettings,
    @Inject(MCP_LOGGER) private readonly logger: Logger,
  ) {}

  async call(params: ToolCallParams, request: ClientRequest): Promise<CallToolResult> {
    const answer = await this.answer(params, request);
    if (answer instanceof Refusal) return refused(answer);
    return 'resultType' in answer ? answer : resultOfEnvelope(answer.envelope);
  }

  private async answer(params: ToolCallParams, request: ClientRequest): Promise<Answer | Refusal> {
    const { caller } = request;
    const lacking = lacksRole(caller, SUBMITTERS);
    if (lacking) return lacking;
    const call = callOfRequest(params, request, this.takesOccurrence(caller.tenant_id, params.name));
    return call instanceof Refusal ? call : this.awaited(call, request);
  }

  /** The end of the call; else its task for a client with tasks, or its state when the time is over. */
  private async awaited(call: IdentifiedCall, request: ClientRequest): Promise<Answer | Refusal> {
    let watched: WatchedCall | undefined;
    const sink = new AnsweredCall((call_id) => {
      watched = new WatchedCall(this.calls, request, call_id, this.logger);
      watched.begin();
    });
    const begun_ms = performance.now();
    try {
      await this.calls.submit(call.request, this.submission(call, request), sink);
      const answer = await sink.result;
      if (answer instanceof Refusal || answer.ended) return answer;
      if (request.takes_tasks) return await createdTask(this.calls, request.caller, answer);
      const left_ms = this.settings.wait_ms - (performance.now() - begun_ms);
      if (left_ms <= 0 || request.signal.aborted) return answer;
      return await this.calls.wait({ caller: request.caller, call_id: answer.state.call_id }, left_ms);
    } finally {
      watched?.end();
    }
  }

  private submission({ idempotency_key }: IdentifiedCall, { caller, traceparent, raw, takes_tasks }: ClientRequest): Submission {
    return {
      caller,
      idempotency_key,
      traceparent,
      wait_ms: takes_tasks ? this.settings.task_after_ms : this.settings.wait_ms,
      span_name: 'mcp tools/call',
      span_attributes: { [REQUEST_ID_ATTRIBUTE]: requestIdOf(raw) },
      warns_of_deprecation: true,
    };
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
