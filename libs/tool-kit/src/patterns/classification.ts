import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import type { RunContext, Tool } from '../tool.js';
import { ToolError } from '../tool-error.js';
import { type EvidenceSpan, evidenceSpan, type PatternTraits } from './evidence.js';

/** A band with its reasons, or an exception: the subject fits no band. */
export type Classified<B extends string> =
  | { band: B; confidence: number; rationale: string; evidence: EvidenceSpan[] }
  | { out_of_distribution: string };

export interface Classification<S extends z.ZodType, B extends string> extends PatternTraits {
  subject: S;
  /** All bands. A band for the rest (`other`, `unknown`) is refused: the rest is an exception. */
  bands: readonly [B, B, ...B[]];
  classify(subject: z.output<S>, ctx: RunContext): Promise<Classified<B>>;
}

/**
 * Pattern 4: assigns a subject to one of an exhaustive set of bands. Pure; a subject that fits none is the exception
 * `classify.out_of_distribution`.
 */
export function defineClassification<S extends z.ZodType, const B extends string>(definition: Classification<S, B>): Tool {
  const { subject, bands, classify, ...traits } = definition;
  return defineTool({
    ...traits,
    pattern: 'classification',
    effect_class: 'pure',
    input: z.strictObject({ subject: subject as z.ZodType }),
    output: z.strictObject({
      band: z.enum(bands as readonly string[] as [string, ...string[]]),
      confidence: z.number().min(0).max(1),
      rationale: z.string().min(1),
      evidence: z.array(evidenceSpan),
    }),
    run: async (input, ctx) => {
      const found = await classify(input.subject as z.output<S>, ctx);
      if (!('out_of_distribution' in found)) return found;
      throw new ToolError('VALIDATION_ERROR', found.out_of_distribution, {
        class: 'semantic',
        effect: 'none',
        details: { exception: 'classify.out_of_distribution', bands },
      });
    },
  });
}
