import type { Client } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callOf, mcpClient, REVISIONS, textOf } from '../testing/mcp-client.js';
import { TestGateway } from '../testing/test-gateway.js';

let gateway: TestGateway;
let agent: string;
beforeAll(async () => {
  gateway = await TestGateway.open();
  agent = await gateway.keyFor('agent-1', ['agent']);
});
afterAll(() => gateway.close());

const unique = () => ({ path: `p-${Math.random()}`, text: 'x' });

describe.each(REVISIONS)('a client of %s', (revision) => {
  let client: Client;
  beforeEach(async () => {
    client = await mcpClient({ url: gateway.url, key: agent, revision, headers: { 'Countersign-Run': 'run-7' } });
  });
  afterEach(() => client.close());

  const call = (name: string, given: Record<string, unknown>, _meta?: Record<string, unknown>) =>
    client.callTool({ name, arguments: given, ...(_meta ? { _meta } : {}) });

  test('gets the revision it asks for, and the tools in the same order each time', async () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual([...names.slice(0, -1).sort(), 'get_call']);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names);
  });

  test('sees hints that follow from the effect class, and the rest in _meta', async () => {
    const { tools } = await client.listTools();
    const of = (name: string) => tools.find((tool) => tool.name === name);
    expect(of('read_note')).toMatchObject({ annotations: { readOnlyHint: true, openWorldHint: false } });
    expect(of('read_note')?.inputSchema.properties).not.toHaveProperty('countersign_occurrence');
    expect(of('write_note')).toMatchObject({
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      _meta: { 'dev.countersign/tool': { effect_class: 'stage', reversibility: 'reversible', version: '1.3.0' } },
      inputSchema: { properties: { countersign_occurrence: { type: 'string' } }, required: ['path', 'text'] },
    });
  });

  test('gets the output of a call as a POST does, and its envelope in _meta', async () => {
    const inputs = unique();
    const result = await call('write_note', inputs);
    expect(result).toMatchObject({ isError: false, structuredContent: inputs });
    expect(JSON.parse(textOf(result))).toMatchObject(inputs);
    const { call_id } = callOf(result);
    expect((await gateway.send('GET', `/v1/calls/${call_id}`)).body).toMatchObject({ inputs, status: 'succeeded', run_id: 'run-7' });
  });

  test('gives case, run and seq in _meta or in headers; _meta counts', async () => {
    const { case_id } = (await gateway.send('POST', '/v1/cases', {})).body;
    const meta = { 'dev.countersign/case_id': case_id, 'dev.countersign/run_id': 'run-9', 'dev.countersign/seq': 4 };
    const inputs = unique();
    const first = callOf(await call('write_note', inputs, meta));
    expect(first).toMatchObject({ case_id, run_id: 'run-9' });
    const again = await call('write_note', inputs, meta);
    expect(callOf(again)).toMatchObject({ call_id: first.call_id, deduplicated: true, deduplicated_because: 'same_request' });
    expect(textOf(again)).toContain('countersign_occurrence');
  });

  test('never gives the inputs countersign_occurrence', async () => {
    const inputs = unique();
    const result = await call('write_note', { ...inputs, countersign_occurrence: 'twice' });
    expect(result).toMatchObject({ isError: false, structuredContent: inputs });
    expect(JSON.parse(textOf(result))).not.toHaveProperty('countersign_occurrence');
    expect(await call('write_note', { ...inputs, countersign_occurrence: 7 })).toMatchObject({ isError: true });
  });

  test('reads why a call was denied, failed or is in doubt in the text of an error', async () => {
    const denied = await call('never', unique());
    expect(denied.isError).toBe(true);
    expect(textOf(denied)).toContain('POLICY_DENIED (denied): blocked by rule');
    expect(textOf(await call('fails', unique()))).toContain('PROVIDER_ERROR (failed)');
    expect(textOf(await call('doubtful', unique()))).toContain('IN_DOUBT (in_doubt)');
  });

  test('reads what is wrong with its arguments, so that a model can correct them', async () => {
    const refused = await call('write_note', { path: 'a' });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain('/text: is required');
  });

  test('is told that no tool has the name it calls', async () => {
    await expect(call('no_such_tool', {})).rejects.toMatchObject({ code: -32602 });
  });
});
