import { readFile } from 'node:fs/promises';
import type { Bundle } from '@countersign/evidence';
import { type NoteVerifier, strictBase64 } from '@countersign/proofs';
import { BadCertificate, type PinnedCertificate, pinnedCertificates, timestampedBytes, verifyToken } from '@countersign/timestamps';
import { BadTrust } from './trust-file.js';

/** `absent`: the bundle has no timestamp. `not_checked`: it has one, and no certificate was given. */
export type TimestampVerdict =
  | { kind: 'absent' }
  | { kind: 'not_checked' }
  | { kind: 'stamped'; time_ms: number; authority: string }
  | { kind: 'refused'; reason: string };

/** Reads the certificates of time-stamping authorities that the caller trusts. @throws BadTrust */
export async function readAuthorities(file: string): Promise<PinnedCertificate[]> {
  try {
    return pinnedCertificates(await readFile(file, 'utf8'));
  } catch (cause) {
    if (cause instanceof BadCertificate) throw new BadTrust(`${file}: ${cause.message}`);
    throw new BadTrust(`${file} cannot be read: ${(cause as Error).message}`);
  }
}

/** Checks the timestamp of a bundle's checkpoint. With certificates a bundle without a timestamp is refused. */
export function checkTimestamp(
  { timestamp, checkpoint }: Bundle,
  log: NoteVerifier,
  authorities: readonly PinnedCertificate[] | undefined,
): TimestampVerdict {
  if (!timestamp)
    return authorities ? { kind: 'refused', reason: 'the bundle has no timestamp: request it with timestamped=true' } : { kind: 'absent' };
  if (!authorities) return { kind: 'not_checked' };
  const bytes = timestampedBytes(checkpoint, log);
  if (!bytes) return { kind: 'refused', reason: 'the checkpoint has no line of the log' };
  try {
    const verdict = verifyToken(strictBase64(timestamp.token), bytes, authorities);
    return verdict.kind === 'valid' ? { kind: 'stamped', time_ms: verdict.time_ms, authority: verdict.authority } : verdict;
  } catch {
    return { kind: 'refused', reason: 'the token of the timestamp is no base64' };
  }
}
