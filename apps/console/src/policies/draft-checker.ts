import type { Answer, Problem } from '../gateway/answer.js';
import type { Schemas } from '../gateway/schemas.js';
import { type PlacedError, placeErrors, placeFault } from './error-places.js';
import { scanJson } from './json-places.js';

type PolicyCheck = Schemas['PolicyCheck'];
type Draft = Readonly<Record<string, unknown>>;

/** What is known about a text of the draft. */
export type DraftCheck =
  | { kind: 'checking'; text: string }
  /** Errors, each at its place. */
  | { kind: 'faulty'; text: string; errors: readonly PlacedError[] }
  /** It could be published: the draft as written and as it would be kept. */
  | { kind: 'good'; text: string; draft: Draft; answer: PolicyCheck; warnings: readonly PlacedError[] }
  /** The check did not take place. */
  | { kind: 'unchecked'; text: string; problem: Problem };

/** Of one request; the gateway refuses longer bodies. */
const BYTES_MAX = 1_000_000;

/** A draft that was read and is to be checked by the gateway. */
type Turn = ReadDraft & { text: string };

/**
 * Checks the text of a draft: in the browser whether it is JSON, then by the gateway. Only the newest text is reported, and the gateway has
 * one check at a time: compiling a large policy takes a second, and would go on for each key that was pressed.
 */
export class DraftChecker {
  private newest = '';
  private running: AbortController | undefined;
  private waiting: Turn | undefined;

  constructor(
    private readonly send: (draft: Draft, signal: AbortSignal) => Promise<Answer<PolicyCheck>>,
    private readonly report: (check: DraftCheck) => void,
  ) {}

  async check(text: string): Promise<void> {
    this.newest = text;
    this.waiting = undefined;
    const read = readDraft(text);
    if ('kind' in read) return this.report(read);
    this.report({ kind: 'checking', text });
    this.waiting = { ...read, text };
    if (!this.running) await this.sendWaiting();
  }

  /** Ends the check that runs; its answer is not reported. */
  stop(): void {
    this.waiting = undefined;
    this.running?.abort();
    this.running = undefined;
  }

  private async sendWaiting(): Promise<void> {
    for (let turn = this.waiting; turn; turn = this.waiting) {
      this.waiting = undefined;
      const running = new AbortController();
      this.running = running;
      const answer = await this.send(turn.draft, running.signal).catch(() => undefined);
      if (this.running !== running) return;
      this.running = undefined;
      if (answer && turn.text === this.newest) this.report(checkOf(turn.text, turn, answer));
    }
  }
}

interface ReadDraft {
  draft: Draft;
  places: ReadonlyMap<string, { from: number; to: number }>;
}

function readDraft(text: string): ReadDraft | DraftCheck {
  const { places, fault } = scanJson(text);
  if (fault) return { kind: 'faulty', text, errors: [placeFault(text, fault)] };
  const draft = JSON.parse(text) as Draft | null;
  const whole = { from: 0, to: Math.min(1, text.length) };
  if (typeof draft !== 'object' || draft === null || Array.isArray(draft))
    return { kind: 'faulty', text, errors: [placeFault(text, { ...whole, reason: 'A policy is an object: { "rules": [ … ] }' })] };
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > BYTES_MAX) return { kind: 'unchecked', text, problem: tooLarge(bytes) };
  return { draft, places };
}

function checkOf(text: string, { draft, places }: ReadDraft, answer: Answer<PolicyCheck>): DraftCheck {
  if (!answer.ok) return { kind: 'unchecked', text, problem: answer.problem };
  const { ok, errors, warnings } = answer.data;
  if (!ok) return { kind: 'faulty', text, errors: placeErrors(text, places, errors) };
  const placed = placeErrors(
    text,
    places,
    warnings.map((warning) => ({ ...warning, position: null })),
  );
  return { kind: 'good', text, draft, answer: answer.data, warnings: placed };
}

const tooLarge = (bytes: number): Problem => ({
  type: 'about:blank',
  title: 'The policy is too large to be sent',
  status: 413,
  code: 'VALIDATION_ERROR',
  detail: `It has ${Math.ceil(bytes / 1000)} kB; at most ${BYTES_MAX / 1000} kB can be sent. Keep long lists in facts, and name their table in the rules.`,
});
