import { expect, test } from 'vitest';
import { plainToolCall } from './plain-tool-call.js';

const REVISION = '2026-07-28';
const _meta = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const headers = { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': 'pay' };
const params = { name: 'pay', arguments: { amount: 1 }, _meta };
const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };

test('a call in the usual form is plain', () => {
  expect(plainToolCall({ headers, body })).toEqual({ id: 1, params });
  expect(plainToolCall({ headers, body: { ...body, id: 'a' } })).toMatchObject({ id: 'a' });
  expect(plainToolCall({ headers, body: { ...body, params: { name: 'pay', _meta } } })).toMatchObject({ params: { arguments: {} } });
});

const withMeta = (more: object) => ({ ...body, params: { ...params, _meta: { ..._meta, ...more } } });

test.each([
  ['no object', 7],
  ['a batch', [body]],
  ['another method', { ...body, method: 'tools/list' }],
  ['a notification', { jsonrpc: '2.0', method: 'tools/call', params }],
  ['an id that is no id', { ...body, id: null }],
  ['an id that is a fraction', { ...body, id: 1.5 }],
  ['another version of JSON-RPC', { ...body, jsonrpc: '1.0' }],
  ['further members', { ...body, extra: 1 }],
  ['no name', { ...body, params: { _meta } }],
  ['another name than the header', { ...body, params: { ...params, name: 'refund' } }],
  ['arguments that are a list', { ...body, params: { ...params, arguments: [] } }],
  ['answers to questions', { ...body, params: { ...params, inputResponses: {} } }],
  ['a state of questions', { ...body, params: { ...params, requestState: 's' } }],
  ['no _meta', { ...body, params: { name: 'pay' } }],
  ['another revision', withMeta({ 'io.modelcontextprotocol/protocolVersion': '2025-11-25' })],
  ['a wish for progress', withMeta({ progressToken: 1 })],
  ['no client', withMeta({ 'io.modelcontextprotocol/clientInfo': undefined })],
  ['tasks', withMeta({ 'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } } })],
])('a message with %s is left to the SDK', (_why, given) => {
  expect(plainToolCall({ headers, body: given })).toBeUndefined();
});

test.each([
  { 'mcp-protocol-version': '2025-11-25' },
  { 'mcp-protocol-version': undefined },
  { 'mcp-method': 'tools/list' },
  { 'mcp-name': undefined },
  { 'mcp-session-id': 's' },
])('a request with the headers %j is left to the SDK', (more) => {
  expect(plainToolCall({ headers: { ...headers, ...more }, body })).toBeUndefined();
});
