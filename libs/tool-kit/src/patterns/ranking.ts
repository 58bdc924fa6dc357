/** A paragraph of a document, with its position in it. */
export interface Passage {
  document: number;
  start: number;
  end: number;
  words: readonly string[];
}

const WORD = /[\p{L}\p{N}]+/gu;
const K1 = 1.2;
const B = 0.75;

function wordsOf(text: string): string[] {
  return text.normalize('NFKC').toLowerCase().match(WORD) ?? [];
}

/** The paragraphs of a text, separated by blank lines. */
export function passagesOf(text: string, document: number): Passage[] {
  const found: Passage[] = [];
  for (const match of text.matchAll(/(?:[^\n]|\n(?!\s*\n))+/g)) {
    const raw = match[0];
    const start = match.index + raw.length - raw.trimStart().length;
    const end = match.index + raw.trimEnd().length;
    if (start < end) found.push({ document, start, end, words: wordsOf(raw) });
  }
  return found;
}

/** Passages that share a word with the query, best first (BM25); equal scores keep the order of the corpus. */
export function rank(passages: readonly Passage[], query: string): { passage: Passage; score: number }[] {
  const terms = [...new Set(wordsOf(query))];
  const mean = passages.reduce((sum, { words }) => sum + words.length, 0) / Math.max(passages.length, 1);
  const weights = terms.map((term) => {
    const holding = passages.filter(({ words }) => words.includes(term)).length;
    return Math.log(1 + (passages.length - holding + 0.5) / (holding + 0.5));
  });
  return passages
    .map((passage) => ({ passage, score: scoreOf(passage, terms, weights, mean) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.passage.document - b.passage.document || a.passage.start - b.passage.start);
}

function scoreOf({ words }: Passage, terms: readonly string[], weights: readonly number[], mean: number): number {
  let score = 0;
  for (const [at, term] of terms.entries()) {
    const count = words.filter((word) => word === term).length;
    score += ((weights[at] as number) * count * (K1 + 1)) / (count + K1 * (1 - B + (B * words.length) / mean));
  }
  return Math.round(score * 1e6) / 1e6;
}
