import type { ToolContract } from '@countersign/contracts';
import { hiddenCharacters, type InjectionFlag, RAW_PATTERNS, WORD_PATTERNS } from './patterns.js';

/** Characters that one scan reads. */
export const SCANNED_CHARS_MAX = 262_144;
/** Texts are searched in pieces, so that one long text takes no longer than many short ones; pieces overlap by the longest pattern. */
const PIECE_CHARS = 16_384;
const OVERLAP_CHARS = 1_024;
const VALUES_MAX = 50_000;

/** What a scan found. */
export interface Scan {
  /** In alphabetical order. */
  flags: InjectionFlag[];
  /** True if there was more text than is scanned. */
  is_partial: boolean;
}

/** Between short texts that are searched together: patterns of words do not match over it, nor does it collapse with spaces. */
const BETWEEN = '\u0000';
const LINES = new RegExp(BETWEEN, 'g');

const plain = (text: string): string =>
  text.replace(hiddenCharacters, '').normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').replace(LINES, '\n');

function search(texts: readonly string[], found: Set<InjectionFlag>): void {
  const raw = texts.join('\n');
  for (const { flag, expression } of RAW_PATTERNS) if (!found.has(flag) && expression.test(raw)) found.add(flag);
  const words = plain(texts.join(BETWEEN));
  for (const { flag, expression } of WORD_PATTERNS) if (!found.has(flag) && expression.test(words)) found.add(flag);
}

function searchPieces(text: string, found: Set<InjectionFlag>): void {
  for (let from = 0; from < text.length; from += PIECE_CHARS) search([text.slice(from, from + PIECE_CHARS + OVERLAP_CHARS)], found);
}

/** Many short texts take as long as one long text. */
function searchAll(texts: readonly string[], found: Set<InjectionFlag>): void {
  let short: string[] = [];
  let chars = 0;
  for (const text of texts) {
    if (text === '') continue;
    if (text.length > PIECE_CHARS) {
      searchPieces(text, found);
      continue;
    }
    if (chars + text.length > PIECE_CHARS) {
      search(short, found);
      short = [];
      chars = 0;
    }
    short.push(text);
    chars += text.length + 1;
  }
  if (short.length > 0) search(short, found);
}

/** The texts in a JSON value, member names included, as far as the bounds allow. Iterative: a deep value must not overflow the stack. */
function textsIn(value: unknown): { texts: string[]; is_partial: boolean } {
  const texts: string[] = [];
  const waiting: unknown[] = [value];
  let chars = 0;
  let values = 0;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (++values > VALUES_MAX || chars > SCANNED_CHARS_MAX) return { texts, is_partial: true };
    if (typeof next === 'string') {
      texts.push(next.slice(0, SCANNED_CHARS_MAX));
      chars += next.length;
    } else if (Array.isArray(next)) waiting.push(...next.slice(0, VALUES_MAX));
    else if (typeof next === 'object' && next !== null) waiting.push(...Object.entries(next).slice(0, VALUES_MAX).flat());
  }
  return { texts, is_partial: chars > SCANNED_CHARS_MAX };
}

/**
 * Searches all texts of a JSON value for patterns of injection. A hint and no proof: what is not found may be there. Takes time in
 * proportion to the text, which is bounded.
 */
export function scanForInjection(value: unknown): Scan {
  const { texts, is_partial } = textsIn(value);
  const found = new Set<InjectionFlag>();
  searchAll(texts, found);
  return { flags: [...found].sort(), is_partial };
}

/** Text that was not searched may carry anything: it is a flag of its own. */
export const flagsOf = ({ flags, is_partial }: Scan): string[] => (is_partial ? [...flags, 'unsearched_text'].sort() : flags);

/** Whether a server outside answers for a tool: that of an upstream, or of an imported document. Only such answers are searched. */
export const answersFromOutside = ({ upstream, endpoint }: Pick<ToolContract, 'upstream' | 'endpoint'>): boolean =>
  upstream !== undefined || endpoint !== undefined;
