import { defineClassification } from '@countersign/tool-kit/patterns/classification';
import { type EvidenceSpan, sourceDocument, spanOf } from '@countersign/tool-kit/patterns/evidence';

const bands = ['invoice', 'credit_note', 'purchase_order', 'delivery_note', 'contract'] as const;
type Band = (typeof bands)[number];

/** Phrases that indicate a band, each with its weight. */
const phrases: readonly [Band, number, readonly string[]][] = [
  ['invoice', 3, ['invoice', 'amount due', 'payment terms']],
  ['credit_note', 4, ['credit note', 'credited to your account']],
  ['purchase_order', 3, ['purchase order', 'please supply', 'order confirmation']],
  ['delivery_note', 3, ['delivery note', 'packing list', 'goods received']],
  ['contract', 2, ['this agreement', 'the parties', 'hereinafter', 'governing law']],
];
/** Below this share of the total weight, the best band is a guess. */
const SHARE_MIN = 0.6;
const WEIGHT_MIN = 2;

/** Classifies a business document as one of five kinds, by its phrases. */
export const classifyDocument = defineClassification({
  name: 'classify_document',
  version: '1.0.0',
  title: 'Classify a document',
  description: 'Says whether a text is an invoice, credit note, purchase order, delivery note or contract; anything else is an exception.',
  category: 'data',
  capabilities: ['classification', 'documents'],
  cache: { kind: 'forever' },
  max_output_bytes: 512 * 1024,
  subject: sourceDocument,
  bands,
  classify: async (source) => {
    const found = evidenceOf(source);
    const total = found.reduce((sum, { weight }) => sum + weight, 0);
    const scores = bands.map((band) => ({
      band,
      score: found.filter((each) => each.band === band).reduce((sum, { weight }) => sum + weight, 0),
    }));
    const [best] = scores.sort((a, b) => b.score - a.score);
    if (!best || best.score < WEIGHT_MIN) return { out_of_distribution: 'the text has no evidence for any band' };
    const confidence = Math.round((best.score / total) * 100) / 100;
    if (confidence < SHARE_MIN) return { out_of_distribution: `the text has evidence for several bands (${best.band} with ${confidence})` };
    const evidence = found.filter((each) => each.band === best.band).map(({ span }) => span);
    return {
      band: best.band,
      confidence,
      evidence,
      rationale: `${evidence.length} phrases speak for ${best.band}, weight ${best.score} of ${total}`,
    };
  },
});

function evidenceOf(source: { source_id: string; content: string }): { band: Band; weight: number; span: EvidenceSpan }[] {
  const text = source.content.toLowerCase();
  // Some letters change their length in lower case, which would make offsets wrong.
  if (text.length !== source.content.length) return [];
  return phrases.flatMap(([band, weight, words]) =>
    words.flatMap((phrase) => {
      const at = text.indexOf(phrase);
      return at < 0 ? [] : [{ band, weight, span: spanOf(source, at, at + phrase.length) }];
    }),
  );
}
