import { expect, test } from 'vitest';
import type { Upstream } from './upstream.js';
import { EMPTY_UPSTREAM, isMoved, upstreamFieldsOf, upstreamRequest } from './upstream-request.js';

const upstream = {
  name: 'notes',
  url: null,
  command: 'notes',
  credentials: [{ secret: 'NotesToken', env: 'NOTES_TOKEN' }],
  timeout_ms: 30_000,
} as unknown as Upstream;

test('an upstream is sent as it was shown', () => {
  expect(upstreamRequest(upstreamFieldsOf(upstream))).toEqual({
    command: 'notes',
    credentials: [{ secret: 'NotesToken', env: 'NOTES_TOKEN' }],
    timeout_ms: 30_000,
  });
});

test('an address has its secrets by name alone, and no command', () => {
  const form = { ...EMPTY_UPSTREAM, url: ' https://mcp.example.com/mcp ', command: 'notes', credentials: 'FilesToken\n\n' };
  expect(upstreamRequest(form)).toEqual({
    url: 'https://mcp.example.com/mcp',
    credentials: [{ secret: 'FilesToken', env: null }],
    timeout_ms: 30_000,
  });
});

test('another address or command is another server', () => {
  const form = upstreamFieldsOf(upstream);
  expect([isMoved(form, upstream), isMoved({ ...form, command: 'other' }, upstream), isMoved({ ...form, kind: 'url' }, upstream)]).toEqual([
    false,
    true,
    true,
  ]);
});
