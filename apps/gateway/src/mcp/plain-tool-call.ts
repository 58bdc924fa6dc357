import { isRecord } from '@countersign/mapping/pointer';
import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import type { HttpRequest } from '../http/reply.js';
import type { ToolCallParams } from './call-of-request.js';

const REVISION = '2026-07-28';
/** Members of `params` that a plain call has. Others ask for more than an answer (input of the user, for example). */
const PLAIN_PARAMS = new Set(['name', 'arguments', '_meta']);
/** Capabilities by which a client may get something else than a result. */
const MORE_THAN_RESULTS = ['extensions', 'tasks'];

type Members = Record<string, unknown>;

/** A `tools/call` of 2026-07-28 that can only be answered by one JSON result. */
export interface PlainToolCall {
  id: string | number;
  params: ToolCallParams;
}

const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isSafeInteger(id);

function isPlainMeta(meta: unknown): meta is Members {
  if (!isRecord(meta) || meta.progressToken !== undefined || meta[PROTOCOL_VERSION_META_KEY] !== REVISION) return false;
  const { [CLIENT_INFO_META_KEY]: info, [CLIENT_CAPABILITIES_META_KEY]: capabilities } = meta;
  if (!isRecord(info) || typeof info.name !== 'string' || typeof info.version !== 'string') return false;
  return isRecord(capabilities) && !MORE_THAN_RESULTS.some((name) => name in capabilities);
}

const namesCall = (headers: HttpRequest['headers'], name: unknown): boolean =>
  headers['mcp-protocol-version'] === REVISION && headers['mcp-method'] === 'tools/call' && headers['mcp-name'] === name;

/**
 * The call of a message in its usual form, which is answered without the SDK: that costs as much as all the rest. Undefined: anything else,
 * and anything doubtful; the SDK serves or refuses it.
 */
export function plainToolCall({ headers, body }: Pick<HttpRequest, 'headers' | 'body'>): PlainToolCall | undefined {
  if (!isRecord(body) || body.jsonrpc !== '2.0' || body.method !== 'tools/call' || !isId(body.id) || !isRecord(body.params))
    return undefined;
  const { name, arguments: given = {}, _meta } = body.params;
  if (typeof name !== 'string' || !isRecord(given) || !isPlainMeta(_meta) || !namesCall(headers, name)) return undefined;
  if (!Object.keys(body.params).every((member) => PLAIN_PARAMS.has(member))) return undefined;
  if (headers['mcp-session-id'] !== undefined || Object.keys(body).length !== 4) return undefined;
  return { id: body.id, params: { name, arguments: given, _meta } };
}
