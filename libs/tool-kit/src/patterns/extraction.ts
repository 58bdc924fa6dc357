import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import type { RunContext, Tool } from '../tool.js';
import { evidenceSpan, exceptionRef, type PatternTraits, type SourceDocument, sourceDocument, spanOf } from './evidence.js';

/** The found value and its position; or why nothing was found. */
export type Extracted<V> =
  | { value: V; start: number; end: number; confidence: number }
  | { exception: 'not_found' | 'ambiguous' | 'unreadable'; message: string };

export interface Extraction<H extends z.ZodType, V extends z.ZodType> extends PatternTraits {
  hints: H;
  value: V;
  /** The method: rules, or a model with its name and version. Part of every result. */
  lineage: { method: 'rules' | 'model'; model: string | null };
  extract(source: SourceDocument, hints: z.output<H>, ctx: RunContext): Promise<Extracted<z.input<V>>>;
}

/**
 * Pattern 1: extracts one typed value from a document, with the span that justifies it. Pure; a missing value is an exception, never a
 * guess.
 */
export function defineExtraction<H extends z.ZodType, V extends z.ZodType>(definition: Extraction<H, V>): Tool {
  const { hints, value, lineage, extract, ...traits } = definition;
  const by = { ...lineage, extractor: `${traits.name}@${traits.version}` };
  return defineTool({
    ...traits,
    pattern: 'extraction',
    effect_class: 'pure',
    input: z.strictObject({ source: sourceDocument, hints: hints as z.ZodType }),
    output: z.strictObject({
      value: z.union([value as z.ZodType, z.null()]),
      evidence: evidenceSpan.nullable(),
      confidence: z.number().min(0).max(1),
      exceptions: z.array(exceptionRef),
      lineage: z.strictObject({ extractor: z.string(), method: z.enum(['rules', 'model']), model: z.string().nullable() }),
    }),
    sanity: [
      {
        name: 'value_has_evidence',
        severity: 'block',
        holds: (_input, { value, evidence, exceptions }) =>
          (value === null) === (evidence === null) && (value === null) === exceptions.length > 0,
      },
      {
        name: 'evidence_is_in_source',
        severity: 'block',
        holds: ({ source }, { evidence }) => evidence === null || source.content.slice(evidence.start, evidence.end) === evidence.text,
      },
    ],
    run: async (input, ctx) => {
      const { source } = input;
      const found = await extract(source, input.hints as z.output<H>, ctx);
      if ('exception' in found) {
        return {
          value: null,
          evidence: null,
          confidence: 0,
          exceptions: [{ kind: `extract.${found.exception}`, message: found.message }],
          lineage: by,
        };
      }
      return {
        value: found.value,
        evidence: spanOf(source, found.start, found.end),
        confidence: found.confidence,
        exceptions: [],
        lineage: by,
      };
    },
  });
}
