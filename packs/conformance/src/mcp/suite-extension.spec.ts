import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { describe, expect, test, vi } from 'vitest';
import { SuiteExtension } from './suite-extension.js';

const TASKS = 'io.modelcontextprotocol/tasks';

interface Asked {
  responses?: Record<string, unknown>;
  capabilities?: object;
}

const context = ({ responses, capabilities = {} }: Asked) =>
  ({
    mcpReq: {
      inputResponses: responses,
      envelope: { 'io.modelcontextprotocol/clientCapabilities': capabilities },
      requestState: () => undefined,
      log: async () => undefined,
    },
  }) as unknown as ServerContext;

const accepted = (content: object) => ({ action: 'accept', content });

function calling(tool: string, asked: Asked = {}) {
  const content = [{ type: 'text', text: 'done' }];
  const next = vi.fn(async () => ({ content: [], structuredContent: { content } }) as unknown as CallToolResult);
  return { next, result: new SuiteExtension().call({ tool, args: { prompt: 'hello' }, ctx: context(asked), next }) };
}

describe('a tool that asks its client', () => {
  test('submits nothing before it has the answer', async () => {
    const { next, result } = calling('test_input_required_result_elicitation');
    expect(await result).toMatchObject({ resultType: 'input_required', inputRequests: { user_name: { method: 'elicitation/create' } } });
    expect(next).not.toHaveBeenCalled();
  });

  test('submits the call with the answer', async () => {
    const { next, result } = calling('test_input_required_result_elicitation', { responses: { user_name: accepted({ name: 'Ada' }) } });
    expect(await result).toEqual({ content: [{ type: 'text', text: 'done' }] });
    expect(next).toHaveBeenCalledWith({ answers: { user_name: 'Ada' } }, undefined);
  });

  test.each([[{ user_name: { action: 'decline' } }], [{ user_name: accepted({ name: 7 }) }], [{ other: accepted({ name: 'Ada' }) }]])(
    'asks again if the answer is %j',
    async (responses) => {
      const { next, result } = calling('test_input_required_result_elicitation', { responses });
      expect(await result).toMatchObject({ resultType: 'input_required' });
      expect(next).not.toHaveBeenCalled();
    },
  );
});

test('a tool that needs tasks is refused to a client without them', async () => {
  await expect(calling('failing_job').result).rejects.toMatchObject({ code: -32021 });
  await calling('failing_job', { capabilities: { extensions: { [TASKS]: {} } } }).result;
});

test('a tool of another pack is submitted as it came, whatever its name is', async () => {
  for (const tool of ['write_file', 'constructor', '__proto__']) {
    const { next, result } = calling(tool);
    await result;
    expect(next).toHaveBeenCalledWith({ prompt: 'hello' }, undefined);
  }
});
