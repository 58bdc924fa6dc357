import type { ServerResponse } from 'node:http';
import { ProtocolError, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { Exchange } from './exchange.js';
import type { PlainToolCall } from './plain-tool-call.js';
import { SERVER_INFO } from './server-info.js';
import { ToolCalling } from './tool-calling.service.js';

const JSON_TYPE = 'application/json';

/** The reason that the SDK gives for a closed stream. */
const CLOSED = new DOMException('the client closed the stream', 'AbortError');

/** Answers plain calls as the SDK would. */
@Injectable()
export class DirectAnswers {
  constructor(private readonly calling: ToolCalling) {}

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
      const { _meta, ...result } = await this.calling.call(params, request);
      return { result: { ...result, resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: SERVER_INFO, ..._meta } } };
    } catch (cause) {
      if (!(cause instanceof ProtocolError)) throw cause;
      return { error: { code: cause.code, message: cause.message } };
    }
  }
}
