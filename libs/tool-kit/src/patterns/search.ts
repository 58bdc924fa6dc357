import { lacking, sha256Hex } from '@countersign/contracts';
import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import type { RunContext, Tool } from '../tool.js';
import { ToolError } from '../tool-error.js';
import { evidenceSpan, type PatternTraits, spanOf } from './evidence.js';
import { passagesOf, rank } from './ranking.js';

/** The current documents of a corpus. A reader must be cleared for all of its markings. */
export interface Corpus {
  markings: readonly string[];
  /** In a fixed order. */
  documents: readonly { source_id: string; content: string }[];
}

export interface Search extends PatternTraits {
  /** @throws ToolError if the corpus does not exist. */
  open(corpus: string, ctx: RunContext): Promise<Corpus>;
}

const PASSAGE_MAX = 2_000;

/**
 * Pattern 10: passages that match a query, best first, as evidence from one snapshot of the corpus. A caller who lacks a clearance is
 * refused, never shown a part.
 */
export function defineSearch({ open, ...traits }: Search): Tool {
  return defineTool({
    ...traits,
    pattern: 'search',
    effect_class: 'read_internal',
    input: z.strictObject({
      query: z.string().min(1).max(1_000),
      corpus: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/),
      k: z.int().min(1).max(50).default(5).describe('How many passages at most.'),
    }),
    output: z.strictObject({
      spans: z.array(evidenceSpan.extend({ score: z.number(), retrieval_snapshot_id: z.string() })),
      retrieval_snapshot_id: z.string(),
      markings: z.array(z.string()),
    }),
    sanity: [
      {
        name: 'best_first',
        severity: 'block',
        holds: ({ k }, { spans }) => spans.length <= k && spans.every((span, at) => at === 0 || span.score <= (spans[at - 1]?.score ?? 0)),
      },
    ],
    run: async ({ query, corpus: name, k }, ctx) => {
      const corpus = await open(name, ctx);
      const missing = lacking(corpus.markings, ctx.clearances);
      if (missing.length > 0) {
        throw new ToolError('POLICY_DENIED', `${ctx.principal.id} is not cleared for ${missing.join(', ')}`, {
          effect: 'none',
          details: { exception: 'search.insufficient_clearance', markings: missing },
        });
      }
      const retrieval_snapshot_id = snapshotOf(corpus);
      const passages = corpus.documents.flatMap(({ content }, at) => passagesOf(content, at));
      const spans = rank(passages, query)
        .slice(0, k)
        .map(({ passage, score }) => {
          const document = corpus.documents[passage.document] as Corpus['documents'][number];
          const span = spanOf(document, passage.start, Math.min(passage.end, passage.start + PASSAGE_MAX));
          return { ...span, score, retrieval_snapshot_id };
        });
      return { spans, retrieval_snapshot_id, markings: [...corpus.markings] };
    },
  });
}

/** Equal for equal documents, and different as soon as one changes. */
function snapshotOf({ documents, markings }: Corpus): string {
  const parts = documents.map(({ source_id, content }) => `${source_id}\0${sha256Hex(content)}`);
  return `snap_${sha256Hex([...parts, ...markings].join('\n')).slice(0, 32)}`;
}
