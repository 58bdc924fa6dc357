import { INPUT_POINTER } from './json-pointer.js';

/** Limits of a template; a sentence is read in a few seconds. */
export const SUMMARY_CHARS_MAX = 200;
export const SUMMARY_PLACEHOLDERS_MAX = 8;

const PLACEHOLDER = /\{([^{}]*)\}/;
const MEASURED = /^(bytes|characters|lines|count) of (.*)$/;
/** Text of an author that could pass for markup, or change how the rest of the sentence is shown. */
const NOT_PLAIN = /[<>\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/u;

/** How a placeholder shows its input: the value itself, or a measure of it. */
export type SummaryMeasure = 'value' | 'bytes' | 'characters' | 'lines' | 'count';

export type SummaryPart = { readonly text: string } | { readonly pointer: string; readonly as: SummaryMeasure };

/** Parses the `summary` of a contract, for example `Write {/path} ({bytes of /content} bytes)`. @returns the fault if it is invalid. */
export function parseSummary(summary: string): readonly SummaryPart[] | { fault: string } {
  if (summary.trim() === '' || summary.length > SUMMARY_CHARS_MAX)
    return { fault: `it must have 1 to ${SUMMARY_CHARS_MAX} characters and not be blank` };
  const pieces = summary.split(PLACEHOLDER);
  const texts = pieces.filter((_, at) => at % 2 === 0);
  const parts = pieces.map((piece, at) => (at % 2 === 0 ? { text: piece } : placeholder(piece)));
  if (texts.some((text) => NOT_PLAIN.test(text)))
    return { fault: 'its text must be plain: without <, >, control and invisible characters' };
  if (texts.some((text) => /[{}]/.test(text)))
    return { fault: 'a brace is unbalanced: a placeholder is a JSON Pointer in braces, {/path}' };
  const fault = parts.find((part): part is { fault: string } => 'fault' in part);
  if (fault) return fault;
  if (parts.length > 2 * SUMMARY_PLACEHOLDERS_MAX + 1) return { fault: `it may have at most ${SUMMARY_PLACEHOLDERS_MAX} placeholders` };
  return (parts as SummaryPart[]).filter((part) => !('text' in part) || part.text !== '');
}

/** The JSON Pointers of the placeholders. */
export const summaryPointers = (parts: readonly SummaryPart[]): string[] =>
  parts.flatMap((part) => ('pointer' in part ? [part.pointer] : []));

function placeholder(piece: string): SummaryPart | { fault: string } {
  const [, as = 'value', pointer = piece] = MEASURED.exec(piece) ?? [];
  if (INPUT_POINTER.test(pointer)) return { pointer, as: as as SummaryMeasure };
  const example = '{/path}, {bytes of /content}, {characters of …}, {lines of …} or {count of /items}';
  return { fault: `{${piece.slice(0, 80)}} is no placeholder: write ${example}` };
}
