import { setTimeout } from 'node:timers/promises';
import { defineTool, ToolError } from '@countersign/tool-kit';
import { z } from 'zod';

/** Takes the requested time, and ends early when aborted. */
export const probeSlow = defineTool({
  name: 'probe_slow',
  version: '1.0.0',
  title: 'Take time',
  description: 'For tests: answers after the asked time and changes nothing; ends at once when the call is aborted.',
  category: 'probe',
  effect_class: 'read_internal',
  input: z.strictObject({ duration_ms: z.int().min(0).max(120_000) }),
  output: z.strictObject({ slept_ms: z.int() }),
  run: async ({ duration_ms }, ctx) => {
    try {
      await setTimeout(duration_ms, undefined, { signal: ctx.signal });
    } catch {
      throw new ToolError('CANCELLED', 'aborted before it was done', { effect: 'none' });
    }
    return { slept_ms: duration_ms };
  },
});
