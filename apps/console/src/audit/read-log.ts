import type { TypedApi } from '@countersign/client/typed-api';
import { type Answer, answerOf, type Problem } from '../gateway/answer.js';
import type { OpenedCheckpoint } from './proof/checkpoint-steps.js';
import { type Continuity, isContradiction, type Remembered } from './proof/continuity.js';
import type { Step } from './proof/step.js';
import { rememberCheckpoint, rememberedCheckpoint } from './remembered-checkpoint.js';

const verifier = () => import('./proof/browser-verifier.js');

/** A checkpoint as the server sends it. */
export interface ServedNote {
  note: string;
  vkey: string;
}

/** The newest checkpoint of the log, and how it relates to what this browser saw before. */
export type LogState =
  | { kind: 'compared'; newest: OpenedCheckpoint; served: ServedNote; continuity: Continuity }
  /** The checkpoint is not signed by a trusted key. */
  | { kind: 'untrusted'; step: Step; served: ServedNote }
  | { kind: 'unknown'; problem: Problem };

/** Reads a checkpoint; `cosigned`: the newest that all witnesses of the installation cosigned. */
export async function readNote(api: TypedApi, cosigned: boolean, signal: AbortSignal): Promise<Answer<ServedNote>> {
  let vkey = '';
  const sent = api.GET('/v1/audit/checkpoint', {
    params: { query: cosigned ? { cosigned: 'true' } : {} },
    parseAs: 'text',
    signal,
  }) as Promise<{ data?: string; error?: unknown; response: Response }>;
  const answer = await answerOf<string>(
    sent.then((read) => {
      vkey = read.response.headers.get('countersign-vkey') ?? '';
      return read;
    }),
  );
  return answer.ok ? { ok: true, data: { note: answer.data, vkey } } : answer;
}

/**
 * Compares the log with the checkpoint that this browser remembers, and remembers the newest one if it continues it. A log that contradicts
 * it never replaces it.
 */
export async function readLogState(api: TypedApi, pinned: readonly string[], signal: AbortSignal): Promise<LogState> {
  // before the request: another tab may remember a later one while it is answered
  const before = rememberedCheckpoint();
  const state = await stateSince(api, before, pinned, signal);
  const is_shorter = state.kind === 'compared' && state.continuity.kind === 'shrunk';
  // one gateway may be a moment behind another
  const settled = is_shorter ? await stateSince(api, before, pinned, signal) : state;
  if (settled.kind === 'compared' && !isContradiction(settled.continuity)) keep(settled);
  return settled;
}

async function stateSince(
  api: TypedApi,
  before: Remembered | undefined,
  pinned: readonly string[],
  signal: AbortSignal,
): Promise<LogState> {
  const answer = await readNote(api, false, signal);
  if (!answer.ok) return { kind: 'unknown', problem: answer.problem };
  const { openServed, continuityHere } = await verifier();
  const { note, vkey } = answer.data;
  const read = openServed(note, vkey, pinned);
  if (!('opened' in read)) return { kind: 'untrusted', step: read, served: answer.data };
  const newest = read.opened;
  if (before && before.vkey === vkey && newest.size > before.size) return grownSince(api, before, { note, vkey }, { pinned, signal });
  return { kind: 'compared', newest, served: answer.data, continuity: continuityHere(before, { newest, vkey }, undefined) };
}

/** The log may have grown again since its checkpoint was read: the proof ends at the one that it names. */
async function grownSince(
  api: TypedApi,
  before: Remembered,
  read: ServedNote,
  { pinned, signal }: { pinned: readonly string[]; signal: AbortSignal },
): Promise<LogState> {
  const { continuityHere, openServed } = await verifier();
  const answer = await answerOf(api.GET('/v1/audit/consistency', { params: { query: { first: before.size } }, signal }));
  if (!answer.ok && answer.problem.status !== 404) return { kind: 'unknown', problem: answer.problem };
  const served = answer.ok ? { note: answer.data.checkpoint, vkey: read.vkey } : read;
  const opened = openServed(served.note, served.vkey, pinned);
  if (!('opened' in opened)) return { kind: 'untrusted', step: opened, served };
  const newest = opened.opened;
  const continuity = continuityHere(before, { newest, vkey: served.vkey }, answer.ok ? answer.data.path : undefined);
  return { kind: 'compared', newest, served, continuity };
}

function keep({ newest: { size, root }, served: { note, vkey }, continuity }: Extract<LogState, { kind: 'compared' }>): void {
  const seen_at = new Date().toISOString();
  const first = 'before' in continuity ? continuity.before.first : { size, seen_at };
  const kept = rememberedCheckpoint();
  if (kept?.vkey === vkey && kept.size > size) return;
  rememberCheckpoint({ vkey, size, root: btoa(String.fromCharCode(...root)), note, seen_at, first });
}
