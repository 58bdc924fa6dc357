import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { RequestAccess } from '../http/request-access.js';
import type { ToolCallParams } from './call-of-request.js';
import type { ClientRequest } from './client-request.js';
import { resultOfRefusal } from './envelope-result.js';
import { OwnTools } from './own-tools.service.js';
import { ToolCallsService } from './tool-calls.service.js';

/** `tools/call`: of one of the server's own tools, or of a tool of the registry. */
@Injectable()
export class ToolCalling {
  constructor(
    private readonly calls: ToolCallsService,
    private readonly own: OwnTools,
    private readonly access: RequestAccess,
  ) {}

  /** A fault becomes a result without its cause, which is logged. @throws ProtocolError if no tool has this name */
  async call(params: ToolCallParams, request: ClientRequest): Promise<CallToolResult> {
    try {
      const own = this.own.named(params.name);
      return await (own ? own.call(params.arguments ?? {}, request, params._meta) : this.calls.call(params, request));
    } catch (cause) {
      if (cause instanceof ProtocolError) throw cause;
      return resultOfRefusal(this.access.problemOf(cause, request));
    }
  }
}
