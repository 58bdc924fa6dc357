import { PARSE_ERROR } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pathOf } from '../http/reply.js';
import type { McpSettings } from './mcp-settings.js';
import { baseUrl, METADATA_PATH } from './protected-resource.js';

const MCP_PATH = '/mcp';
/** An error of the server that JSON-RPC has no code for. */
const SERVER_ERROR = -32_000;

interface ProblemDocument {
  type: string;
  detail: string;
}

const isProblem = (contentType: unknown): boolean => String(contentType).startsWith('application/problem+json');

/** A problem document as a JSON-RPC error that answers no request in particular. */
export function rpcText(problem: ProblemDocument): string {
  const code = problem.type.endsWith(':malformed-body') ? PARSE_ERROR : SERVER_ERROR;
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: problem.detail, data: problem } });
}

/** The challenge of RFC 6750 with the address of the metadata (RFC 9728), by which a client finds its authorization server. */
const challenge = (given: string, request: FastifyRequest, settings: McpSettings): string =>
  `${given}, resource_metadata="${baseUrl(settings, request)}${METADATA_PATH}"`;

/** Refusals of requests to `/mcp` are JSON-RPC errors, and their challenges name the metadata of the resource. */
export function answerInJsonRpc(server: FastifyInstance, settings: McpSettings): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (pathOf(request.url) !== MCP_PATH || typeof payload !== 'string' || !isProblem(reply.getHeader('content-type'))) return done();
    const given = reply.getHeader('www-authenticate');
    if (typeof given === 'string') reply.header('www-authenticate', challenge(given, request, settings));
    reply.header('content-type', 'application/json');
    done(null, rpcText(JSON.parse(payload) as ProblemDocument));
  });
}
