import {
  acceptedContent,
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  type PromptMessage,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import { IMAGE } from '../samples.js';
import { textForm } from './forms.js';

const argument = (name: string, description: string) => ({ name, description, required: true });

const listed = [
  { name: 'test_simple_prompt', title: 'Simple prompt', description: 'A prompt without arguments' },
  {
    name: 'test_prompt_with_arguments',
    title: 'Prompt with arguments',
    description: 'A prompt with two arguments',
    arguments: [argument('arg1', 'the first'), argument('arg2', 'the second')],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    title: 'Prompt with a resource',
    description: 'A prompt that embeds a resource',
    arguments: [argument('resourceUri', 'the resource')],
  },
  { name: 'test_prompt_with_image', title: 'Prompt with an image', description: 'A prompt that has an image' },
  { name: 'test_input_required_result_prompt', title: 'Asking prompt', description: 'A prompt that asks before it is rendered' },
];

const says = (text: string): PromptMessage => ({ role: 'user', content: { type: 'text', text } });

function given(args: Record<string, string>, name: string): string {
  const value = args[name];
  if (value === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `the argument ${name} is required`);
  return value;
}

function messages(name: string, args: Record<string, string>): PromptMessage[] {
  switch (name) {
    case 'test_simple_prompt':
      return [says('This is a simple prompt for testing.')];
    case 'test_prompt_with_arguments':
      return [says(`Prompt with arguments: arg1='${given(args, 'arg1')}', arg2='${given(args, 'arg2')}'`)];
    case 'test_prompt_with_embedded_resource': {
      const resource = { uri: given(args, 'resourceUri'), mimeType: 'text/plain', text: 'Embedded resource content for testing.' };
      return [{ role: 'user', content: { type: 'resource', resource } }, says('Please process the embedded resource above.')];
    }
    case 'test_prompt_with_image':
      return [{ role: 'user', content: { type: 'image', data: IMAGE, mimeType: 'image/png' } }, says('Please analyze the image above.')];
    default:
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'no prompt has this name');
  }
}

function askingPrompt(responses: Record<string, unknown> | undefined): GetPromptResult | InputRequiredResult {
  const context = acceptedContent<{ context?: unknown }>(responses, 'user_context')?.context;
  if (typeof context !== 'string')
    return inputRequired({ inputRequests: { user_context: textForm('What context should the prompt use?', 'context') } });
  return { messages: [says(`Use the following context: ${context}`)] };
}

/** The prompts of the suite, and completions, which have no values. */
export function servePrompts(server: Server): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: listed }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: args = {} } }, ctx) =>
    name === 'test_input_required_result_prompt' ? askingPrompt(ctx.mcpReq.inputResponses) : { messages: messages(name, args) },
  );
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }));
}
