import { canonicalText, sha256Hex } from '@countersign/contracts';
import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import type { RunContext, Tool } from '../tool.js';
import type { PatternTraits } from './evidence.js';

export interface Composition<P extends z.ZodType, D extends z.ZodType, T extends string> extends PatternTraits {
  parts: P;
  draft: D;
  /** Names with version of the available templates, for example `loss_notice@1`. */
  templates: readonly [T, ...T[]];
  compose(parts: z.output<P>, template: T, ctx: RunContext): Promise<z.input<D>>;
}

/**
 * Pattern 5: assembles a draft from typed parts and a template. Pure: a draft is a result and is not stored; only staging an action makes
 * it real.
 */
export function defineComposition<P extends z.ZodType, D extends z.ZodType, const T extends string>(
  definition: Composition<P, D, T>,
): Tool {
  const { parts, draft, templates, compose, ...traits } = definition;
  return defineTool({
    ...traits,
    pattern: 'composition',
    effect_class: 'pure',
    input: z.strictObject({ parts: parts as z.ZodType, template: z.enum(templates as readonly string[] as [string, ...string[]]) }),
    output: z.strictObject({ state: z.literal('draft'), template: z.string(), parts_sha256: z.string(), draft: draft as z.ZodType }),
    run: async (input, ctx) => {
      const template = input.template as T;
      const made = await compose(input.parts as z.output<P>, template, ctx);
      return { state: 'draft' as const, template, parts_sha256: sha256Hex(canonicalText(input.parts)), draft: made };
    },
  });
}
