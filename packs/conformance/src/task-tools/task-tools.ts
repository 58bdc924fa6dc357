import { setTimeout as sleep } from 'node:timers/promises';
import { type RunContext, ToolError } from '@countersign/tool-kit';
import { z } from 'zod';
import { openQuestions } from '../open-questions.js';
import { answers, suiteTool, text } from '../suite-tool.js';

/** Longer than a call may take before it is answered as a task. */
const SLOW_MS = 1_000;

async function slept(ms: number, { signal }: RunContext): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw new ToolError('CANCELLED', 'aborted before it was done', { effect: 'none' });
  }
}

const confirmation = (message: string) => ({
  method: 'elicitation/create' as const,
  params: {
    mode: 'form' as const,
    message,
    requestedSchema: { type: 'object' as const, properties: { confirm: { type: 'boolean' as const } }, required: ['confirm'] },
  },
});

const nameOf = (message: string) => ({
  method: 'elicitation/create' as const,
  params: {
    mode: 'form' as const,
    message,
    requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] },
  },
});

/** Tools whose calls are answered as tasks. */
export const taskTools = [
  suiteTool({
    name: 'slow_compute',
    description: 'For the conformance suite: takes the requested time.',
    input: z.strictObject({ seconds: z.number().min(0).max(80), label: z.string().optional() }),
    run: async ({ seconds, label }, ctx) => {
      await slept(seconds * 1_000, ctx);
      return [text(`Computed ${label ?? 'a result'} in ${seconds} s`)];
    },
  }),
  suiteTool({
    name: 'failing_job',
    description: 'For the conformance suite: fails after a second. Only clients with tasks may call it.',
    input: z.strictObject({}),
    run: async (_input, ctx) => {
      await slept(SLOW_MS, ctx);
      throw new ToolError('PROVIDER_ERROR', 'the job failed as asked', { effect: 'none' });
    },
  }),
  suiteTool({
    name: 'protocol_error_job',
    description: 'For the conformance suite: ends with a protocol error after a second.',
    input: z.strictObject({}),
    run: async (_input, ctx) => {
      await slept(SLOW_MS, ctx);
      throw new ToolError('UNKNOWN', 'the job broke as asked', { effect: 'none' });
    },
  }),
  suiteTool({
    name: 'test_tool_with_task',
    description: 'For the conformance suite: asks for a name first, then takes its time.',
    input: z.strictObject({ answers }),
    run: async ({ answers: given }, ctx) => {
      await slept(SLOW_MS, ctx);
      return [text(`Hello, ${given?.user_name ?? 'nobody'}!`)];
    },
  }),
  suiteTool({
    name: 'confirm_delete',
    description: 'For the conformance suite: asks for a confirmation while it runs.',
    input: z.strictObject({ filename: z.string() }),
    run: async ({ filename }, ctx) => {
      await openQuestions.ask(ctx, { confirm: confirmation(`Delete ${filename}?`) });
      return [text(`${filename} would be deleted now`)];
    },
  }),
  suiteTool({
    name: 'multi_input',
    description: 'For the conformance suite: asks two questions at once while it runs.',
    input: z.strictObject({}),
    run: async (_input, ctx) => {
      await openQuestions.ask(ctx, { first: nameOf('The first name?'), second: nameOf('The second name?') });
      return [text('Both questions are answered')];
    },
  }),
];
