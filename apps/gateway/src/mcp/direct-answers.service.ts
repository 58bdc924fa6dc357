import type { ServerResponse } from 'node:http';
import { ProtocolError, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { HttpRequest } from '../http/reply.js';
import type { Exchange } from './exchange.js';
import { McpExtensions } from './mcp-extension.js';
import { type PlainToolCall, plainToolCall } from './plain-tool-call.js';
import { SERVER_INFO } from './server-info.js';
import { ToolCalling } from './tool-calling.service.js';

const JSON_TYPE = 'application/json';

/** The reason that the SDK gives for a closed stream. */
const CLOSED = new DOMException('the client closed the stream', 'AbortError');

/** Answers plain calls as the SDK would. */
@Injectable()
export class DirectAnswers {
  constructor(
    private readonly calling: ToolCalling,
    private readonly extensions: McpExtensions,
  ) {}

  /** The call of a message that can be answered here; undefined: the SDK serves it. */
  callOf(request: Pick<HttpRequest, 'headers' | 'body'>): PlainToolCall | undefined {
    const call = plainToolCall(request);
    return call && (this.extensions.loaded?.isPlain(call.params.name) ?? true) ? call : undefined;
  }

  async answer({ id, params }: PlainToolCall, exchange: Exchange, response: ServerResponse): Promise<void> {
    const leaving = new AbortController();
    const onClose = () => leaving.abort(CLOSED);
    response.once('close', onClose);
    const answered = await this.message(params, { ...exchange, signal: leaving.signal, progress: undefined, takes_tasks: false });
    response.off('close', onClose);
    if (response.destroyed) return;
    const text = JSON.stringify({ ...answered, jsonrpc: '2.0', id });
    response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(text) }).end(text);
  }

  private async message(params: PlainToolCall['params'], request: Parameters<ToolCalling['call']>[1]): Promise<object> {
    try {
      const called = await this.calling.call(params, request);
      const { _meta, ...result } = this.extensions.loaded?.shown(called) ?? called;
      return { result: { ...result, resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: SERVER_INFO, ..._meta } } };
    } catch (cause) {
      if (!(cause instanceof ProtocolError)) throw cause;
      return { error: { code: cause.code, message: cause.message } };
    }
  }
}
