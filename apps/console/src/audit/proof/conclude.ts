import { type Cosignature, timeText } from './checkpoint-steps.js';
import { type Continuity, isFollowed } from './continuity.js';
import type { Step, Verification } from './step.js';

/** What was verified. */
export interface Subject {
  /** `The record`, `Each of 7 records`. */
  what: string;
  /** Name of the log. */
  log: string;
  is_pinned: boolean;
  checkpoint_size: number;
  checkpoint_time_ms: number;
  cosigned: readonly Cosignature[];
  continuity: Continuity | undefined;
  /** Further claims that the steps prove. */
  also: readonly string[];
  /** Further claims that this evidence leaves open. */
  left_open: readonly string[];
}

/** The conclusion from steps of which none failed. */
export function concluded(steps: readonly Step[], subject: Subject): Verification {
  const { what, log, is_pinned, checkpoint_size, checkpoint_time_ms, also } = subject;
  const signed = `${what} stands, byte for byte, at its position on the log ${log} that checkpoint ${checkpoint_size} of ${timeText(checkpoint_time_ms)} signs.`;
  return {
    outcome: is_pinned ? 'proven' : 'unpinned',
    summary: is_pinned
      ? `Proven to anyone who trusts the key that you pinned.`
      : 'Everything fits together, but only under a key that you have not pinned.',
    steps,
    proven: [signed, ...also, ...since(subject)],
    not_proven: openClaims(subject),
  };
}

function since({ cosigned, continuity, log }: Subject): string[] {
  const by = cosigned.map(
    ({ name, checks, time_ms }) =>
      `${name} saw this checkpoint at ${timeText(time_ms)}${checks === 'heads' ? ', after it had checked every entry and every changed tree: it would have noticed a rewritten record' : ''}.`,
  );
  const own =
    continuity && (continuity.kind === 'same' || continuity.kind === 'continued') && isFollowed(continuity)
      ? [`Every entry that ${log} showed this browser since ${timeText(Date.parse(continuity.before.first.seen_at))} is still there.`]
      : [];
  return [...by, ...own];
}

function openClaims({ is_pinned, cosigned, left_open }: Subject): string[] {
  const key = 'Who holds the key: you have not pinned one, so the server or the author of the file could have chosen it.';
  const rewritten =
    'That the holder of the key did not rewrite records and sign again: no witness that you pinned and that checks heads has cosigned this.';
  return [
    ...(is_pinned ? [] : [key]),
    ...(cosigned.some(({ checks }) => checks === 'heads') ? [] : [rewritten]),
    ...left_open,
    'The time of the checkpoint: it is the clock of the signer.',
    'That this page is honest: the server that it checks has sent it. Your own copy of countersign verify checks the same file without it.',
  ];
}

/** The conclusion from steps of which one failed. */
export function refused(steps: readonly Step[]): Verification {
  const at = steps.findIndex(({ state }) => state === 'failed');
  const step = steps[at] as Step;
  return {
    outcome: 'refused',
    summary: `Refused at step ${at + 1} of ${steps.length}, ${step.title}: ${step.says}`,
    steps,
    proven: [],
    not_proven: [],
  };
}

/** True if a step failed. */
export const isRefused = (steps: readonly Step[]): boolean => steps.some(({ state }) => state === 'failed');
