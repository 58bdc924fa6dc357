import { type CallError, extrasOf } from '@countersign/contracts';
import type { ReconcileAnswer } from '@countersign/domain';
import type { Masker } from '@countersign/outbound';
import type { ResolvedCredentials } from '../calls/resolved-credentials.js';
import { shorten } from './output-limit.js';
import type { Seen } from './recorded-result.js';

type Output = Extract<Seen, { kind: 'output' }>;

const parsed = (json: string | null | undefined): unknown => (json === null || json === undefined ? null : JSON.parse(json));
const text = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function maskedError(error: CallError, masker: Masker): CallError {
  const { message, details } = masker.record({ message: error.message, details: parsed(error.details_json) });
  return { ...error, message, details_json: text(details) };
}

function maskedOutput(seen: Output, masker: Masker, bytes_max: number): Output {
  const { extras } = seen;
  const masked = masker.record({ warnings: seen.warnings, validation: parsed(extras?.validation_json) });
  const kept = {
    ...seen,
    warnings: masked.warnings,
    ...(extras ? { extras: { ...extras, validation_json: text(masked.validation) } } : {}),
  };
  if (seen.full_json === undefined) return { ...kept, output_json: masker.json(seen.output_json) };
  // The cut may have split a secret: masks the full output, then shortens it again.
  const full_json = masker.json(seen.full_json);
  if (full_json === seen.full_json) return kept;
  return { ...kept, full_json, output_json: shorten(JSON.parse(full_json), bytes_max).output_json ?? 'null' };
}

/** The result of a run with its secrets masked. Every result passes here before anything is written. */
export function maskedResult(seen: Seen, { masker }: ResolvedCredentials, bytes_max: number): Seen {
  if (seen.kind === 'output') return maskedOutput(seen, masker, bytes_max);
  const error = maskedError(seen.error, masker);
  if (seen.kind !== 'wrong_shape') return { ...seen, error };
  return { ...seen, error, ...(seen.as_output ? { as_output: maskedOutput(seen.as_output, masker, bytes_max) } : {}) };
}

/** Adds the names and scopes of the credentials, but no values. */
export function withUses(seen: Seen, { uses, warnings }: ResolvedCredentials): Seen {
  if (seen.kind !== 'output') return seen;
  return { ...seen, warnings: [...seen.warnings, ...warnings], extras: extrasOf({ ...seen.extras, credentials: uses }) };
}

/** As `maskedResult`, for the answer of a system of record. */
export function maskedAnswer(answer: ReconcileAnswer, { masker }: ResolvedCredentials): ReconcileAnswer {
  switch (answer.kind) {
    case 'happened':
      return { ...answer, output_json: masker.json(answer.output_json), warnings: masker.record(answer.warnings ?? []) };
    case 'failed':
      return { ...answer, error: maskedError(answer.error, masker) };
    case 'cannot_tell':
      return { ...answer, why: masker.text(answer.why) };
    case 'did_not_happen':
      return answer;
  }
}
