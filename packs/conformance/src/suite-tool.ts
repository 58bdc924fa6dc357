import { defineTool, type RunContext, type Tool } from '@countersign/tool-kit';
import { z } from 'zod';

/** One item of an MCP result, as the suite expects it: the members depend on its type. */
export const contentItem = z.strictObject({
  type: z.enum(['text', 'image', 'audio', 'resource']),
  text: z.string().optional(),
  data: z.string().optional(),
  mimeType: z.string().optional(),
  resource: z.strictObject({ uri: z.string(), mimeType: z.string(), text: z.string() }).optional(),
});

export type ContentItem = z.infer<typeof contentItem>;

/** The output of every tool of the suite: the content of its MCP result. */
export const suiteOutput = z.strictObject({ content: z.array(contentItem) });

/** Answers of the client, by question: the extension asks before the call is submitted. */
export const answers = z.record(z.string(), z.string().max(10_000)).optional();

export const text = (value: string): ContentItem => ({ type: 'text', text: value });

interface SuiteTool<S extends z.ZodType> {
  name: string;
  description: string;
  input: S;
  timeout_ms?: number;
  run(input: z.output<S>, ctx: RunContext): Promise<ContentItem[]> | ContentItem[];
}

/** A tool of the suite: it reads and changes nothing, so policy lets it run at once. */
export function suiteTool<S extends z.ZodType>({ name, description, input, timeout_ms = 90_000, run }: SuiteTool<S>): Tool {
  return defineTool({
    name,
    version: '1.0.0',
    title: name.replaceAll('_', ' '),
    description,
    category: 'conformance',
    effect_class: 'read_internal',
    timeout_ms,
    input,
    output: suiteOutput,
    run: async (received, ctx) => ({ content: await run(received as z.output<S>, ctx) }),
  });
}
