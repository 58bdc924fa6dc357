import type { Span } from './spans.js';

const GRAM = 4;
const COVERED = 0.8;
const FRAGMENTS_MAX = 2_000;

interface Start {
  form: number;
  at: number;
}

interface Fragment {
  span: Span;
  /** Its range in the form. */
  of: Span;
}

const hash = (text: string, at: number): number =>
  (text.charCodeAt(at) + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2) * 961 + text.charCodeAt(at + 3) * 29_791) & 0xffff;

/**
 * Finds values that were cut into pieces and spread over the fields of one record, in any order. A piece counts if it is at least an
 * eighth of a form (and 4 characters); a value is found if its pieces together reveal four fifths of it. One pass over the text.
 */
export class Fragments {
  private readonly grams = new Map<string, Start[]>();
  private readonly filter = new Uint8Array(65_536);

  constructor(private readonly forms: readonly string[]) {
    for (const [form, text] of forms.entries())
      for (let at = 0; at + GRAM <= text.length; at++) {
        const gram = text.slice(at, at + GRAM);
        const starts = this.grams.get(gram) ?? [];
        starts.push({ form, at });
        this.grams.set(gram, starts);
        this.filter[hash(text, at)] = 1;
      }
  }

  find(text: string): Span[] {
    const byForm = this.forms.map((): Fragment[] => []);
    for (let at = 0; at + GRAM <= text.length; at++) {
      if (this.filter[hash(text, at)] === 0) continue;
      for (const start of this.grams.get(text.slice(at, at + GRAM)) ?? []) this.extend(text, at, start, byForm[start.form] as Fragment[]);
    }
    return byForm.flatMap((fragments, form) =>
      covers(fragments, (this.forms[form] as string).length) ? fragments.map(({ span }) => span) : [],
    );
  }

  private extend(text: string, at: number, start: Start, into: Fragment[]): void {
    const form = this.forms[start.form] as string;
    // Only the longest piece counts: a continuation of the previous character's piece was found there.
    if (at > 0 && start.at > 0 && text[at - 1] === form[start.at - 1]) return;
    let length = GRAM;
    while (at + length < text.length && start.at + length < form.length && text[at + length] === form[start.at + length]) length++;
    if (length * 8 < form.length || into.length >= FRAGMENTS_MAX) return;
    into.push({ span: [at, at + length], of: [start.at, start.at + length] });
  }
}

function covers(fragments: readonly Fragment[], length: number): boolean {
  if (fragments.length === 0) return false;
  const shown = new Uint8Array(length);
  for (const { of } of fragments) shown.fill(1, of[0], of[1]);
  return shown.reduce((sum, one) => sum + one, 0) >= COVERED * length;
}
