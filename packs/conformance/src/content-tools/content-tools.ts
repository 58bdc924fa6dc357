import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '@countersign/tool-kit';
import { z } from 'zod';
import { AUDIO, IMAGE } from '../samples.js';
import { suiteTool, text } from '../suite-tool.js';

const none = z.strictObject({});

/** Longer than the pause between two progress hints of one run. */
const STEP_MS = 250;

const embedded = (uri: string, mimeType: string, value: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: value },
});

/** Tools whose results have each kind of content, and tools that report while they run. */
export const contentTools = [
  suiteTool({
    name: 'greet',
    description: 'For the conformance suite: returns a greeting at once.',
    input: z.strictObject({ name: z.string() }),
    run: ({ name }) => [text(`Hello, ${name}!`)],
  }),
  suiteTool({
    name: 'test_simple_text',
    description: 'For the conformance suite: returns one text.',
    input: none,
    run: () => [text('This is a simple text response for testing.')],
  }),
  suiteTool({
    name: 'test_image_content',
    description: 'For the conformance suite: returns an image.',
    input: none,
    run: () => [{ type: 'image', data: IMAGE, mimeType: 'image/png' }],
  }),
  suiteTool({
    name: 'test_audio_content',
    description: 'For the conformance suite: returns audio.',
    input: none,
    run: () => [{ type: 'audio', data: AUDIO, mimeType: 'audio/wav' }],
  }),
  suiteTool({
    name: 'test_embedded_resource',
    description: 'For the conformance suite: returns an embedded resource.',
    input: none,
    run: () => [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  suiteTool({
    name: 'test_multiple_content_types',
    description: 'For the conformance suite: returns a text, an image and an embedded resource.',
    input: none,
    run: () => [
      text('Multiple content types test:'),
      { type: 'image', data: IMAGE, mimeType: 'image/png' },
      embedded('test://mixed-content-resource', 'application/json', JSON.stringify({ test: 'data', value: 123 })),
    ],
  }),
  suiteTool({
    name: 'test_error_handling',
    description: 'For the conformance suite: always fails.',
    input: none,
    run: () => {
      throw new ToolError('PROVIDER_ERROR', 'This tool intentionally returns an error for testing', { effect: 'none' });
    },
  }),
  suiteTool({
    name: 'test_tool_with_progress',
    description: 'For the conformance suite: reports its progress in three steps.',
    input: none,
    run: async (_input, ctx) => {
      for (const step of [0.1, 0.5, 1]) {
        ctx.progress(step, `Completed step ${step * 100} of 100`);
        await sleep(STEP_MS, undefined, { signal: ctx.signal });
      }
      return [text('Tool with progress executed successfully')];
    },
  }),
  suiteTool({
    name: 'test_tool_with_logging',
    description: 'For the conformance suite: sends three log messages while it runs.',
    input: none,
    run: async (_input, ctx) => {
      for (const [step, message] of [
        [0.1, 'Tool execution started'],
        [0.5, 'Tool processing data'],
        [1, 'Tool execution completed'],
      ] as const) {
        ctx.progress(step, message);
        await sleep(STEP_MS, undefined, { signal: ctx.signal });
      }
      return [text('Tool with logging executed successfully')];
    },
  }),
  suiteTool({
    name: 'test_logging_tool',
    description: 'For the conformance suite: logs if the request asks for logs.',
    input: none,
    run: (_input, ctx) => {
      ctx.progress(1, 'test_logging_tool ran');
      return [text('logged')];
    },
  }),
  suiteTool({
    name: 'test_streaming_elicitation',
    description: 'For the conformance suite: returns a result; its stream carries no request of the server.',
    input: none,
    run: () => [text('stream observed: result frames only')],
  }),
  suiteTool({
    name: 'test_trigger_tool_change',
    description: 'For the conformance suite: announces that the list of tools has changed.',
    input: none,
    run: () => [text('tools/list_changed announced')],
  }),
  suiteTool({
    name: 'test_trigger_prompt_change',
    description: 'For the conformance suite: announces that the list of prompts has changed.',
    input: none,
    run: () => [text('prompts/list_changed announced')],
  }),
];
