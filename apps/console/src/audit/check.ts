import type { TypedApi } from '@countersign/client/typed-api';
import type { BundleProgress } from '@countersign/verifier';
import { type Answer, answerOf, type Problem } from '../gateway/answer.js';
import type { Picked } from './picked.js';
import { hasWitnesses, type PinnedKeys } from './pinned-keys.js';
import type { OpenedCheckpoint } from './proof/checkpoint-steps.js';
import { type Continuity, continuityOfFile } from './proof/continuity.js';
import type { Verification } from './proof/step.js';
import type { ProvenRecord } from './proof/verify-record.js';
import { readLogState } from './read-log.js';
import { rememberedCheckpoint } from './remembered-checkpoint.js';

const verifier = () => import('./proof/browser-verifier.js');

/** Largest evidence file: everything is held in memory. */
export const FILE_BYTES_MAX = 64 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

/** Something to verify: what the API has about it, or a file. */
export type Subject = { from: 'api'; picked: Picked } | { from: 'file'; file: File };

export type CheckOutcome = { kind: 'verified'; verification: Verification } | { kind: 'problem'; problem: Problem };

interface Terms {
  api: TypedApi;
  keys: readonly PinnedKeys[];
  /** Of the signed-in person. */
  tenant_id: string;
  onProgress: (progress: BundleProgress | 'reading') => void;
  signal: AbortSignal;
}

const texts = (keys: readonly PinnedKeys[]): string[] => keys.map(({ text }) => text);

/** Verifies evidence in this browser: that of the API, or a file without any request. */
export function check(subject: Subject, terms: Terms): Promise<CheckOutcome> {
  terms.onProgress('reading');
  if (subject.from === 'file') return checkFile(subject.file, terms);
  const { picked } = subject;
  if (picked.kind === 'event' || picked.kind === 'record') return checkRecord(picked, terms);
  return checkBundle(picked, terms);
}

async function checkRecord(picked: Exclude<Picked, { kind: 'call' | 'case' }>, { api, keys, signal }: Terms): Promise<CheckOutcome> {
  const query = picked.kind === 'record' ? placeOf(picked) : { event_id: picked.id };
  const answer = await answerOf(api.GET('/v1/audit/proof', { params: { query }, signal }));
  if (!answer.ok) return { kind: 'problem', problem: answer.problem };
  const continuity = await continuityWith(api, keys, signal);
  const { verifyRecordHere } = await verifier();
  return {
    kind: 'verified',
    verification: verifyRecordHere(answer.data as ProvenRecord, { pinned: texts(keys), asked: picked, continuity }),
  };
}

const placeOf = ({ topic, partition, offset }: Extract<Picked, { kind: 'record' }>) => ({ topic, partition, offset });

async function checkBundle(picked: Extract<Picked, { kind: 'call' | 'case' }>, terms: Terms): Promise<CheckOutcome> {
  const { api, keys, signal, tenant_id } = terms;
  const of = picked.kind === 'call' ? { call_id: picked.id } : { case_id: picked.id };
  const answer = await readBundle(api, of, keys, signal);
  if (!answer.ok) return { kind: 'problem', problem: answer.problem };
  const continuity = await continuityWith(api, keys, signal);
  const { verifyBundleText } = await verifier();
  const how = { pinned: texts(keys), by: 'server' as const, asked: { ...picked, tenant_id }, continuity: () => continuity };
  return { kind: 'verified', verification: await verifyBundleText(answer.data, how, terms) };
}

/** Under a cosigned checkpoint if the pinned keys have witnesses; else, or if the log has none yet, under the newest. */
async function readBundle(
  api: TypedApi,
  of: { call_id: string } | { case_id: string },
  keys: readonly PinnedKeys[],
  signal: AbortSignal,
): Promise<Answer<string>> {
  const read = (more: { cosigned?: 'true' }) =>
    answerOf<string>(
      api.GET('/v1/audit/bundle', { params: { query: { ...of, ...more } }, parseAs: 'text', signal }) as Promise<{
        data?: string;
        error?: unknown;
        response: Response;
      }>,
    );
  if (!keys.some(hasWitnesses)) return read({});
  const cosigned = await read({ cosigned: 'true' });
  return cosigned.ok || (cosigned.problem.status !== 409 && cosigned.problem.status !== 503) ? cosigned : read({});
}

/** Undefined if the key of the log is not trusted, which its own step says. */
async function continuityWith(api: TypedApi, keys: readonly PinnedKeys[], signal: AbortSignal): Promise<Continuity | undefined> {
  const state = await readLogState(api, texts(keys), signal);
  if (state.kind === 'unknown') return { kind: 'unknown', reason: state.problem.detail ?? state.problem.title };
  return state.kind === 'compared' ? state.continuity : undefined;
}

async function checkFile(file: File, { keys, onProgress, signal }: Terms): Promise<CheckOutcome> {
  if (file.size > FILE_BYTES_MAX) return { kind: 'problem', problem: tooLarge(file.size) };
  const text = await readInPieces(file, signal);
  const { verifyBundleText } = await verifier();
  const before = rememberedCheckpoint();
  const how = {
    pinned: texts(keys),
    by: 'file' as const,
    continuity: (opened: OpenedCheckpoint, vkey: string) => continuityOfFile(before, opened, vkey),
  };
  return { kind: 'verified', verification: await verifyBundleText(text, how, { onProgress, signal }) };
}

/** Decoding a large file at once would keep the page busy. */
async function readInPieces(file: File, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  for (let at = 0; at < file.size; at += PIECE_BYTES) {
    pieces.push(decoder.decode(await file.slice(at, at + PIECE_BYTES).arrayBuffer(), { stream: true }));
    signal.throwIfAborted();
  }
  return pieces.join('') + decoder.decode();
}

const tooLarge = (bytes: number): Problem => ({
  type: 'about:blank',
  title: 'The file is too large for this page',
  status: 413,
  code: 'VALIDATION_ERROR',
  detail: `It has ${Math.ceil(bytes / 1024 / 1024)} MB, and this page verifies up to ${FILE_BYTES_MAX / 1024 / 1024} MB. Use \`countersign verify\`.`,
});
