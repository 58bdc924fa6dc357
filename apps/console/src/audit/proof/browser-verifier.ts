import type { Bundle, BundleProgress, Trust } from '@countersign/verifier';
import { treeHashing } from '@countersign/verifier';
import { nobleCrypto } from '@countersign/verifier/crypto/noble-crypto';
import { type BundleTerms, verifiedBundle } from './bundle-steps.js';
import { cosignaturesOf, type OpenedCheckpoint, openedWith } from './checkpoint-steps.js';
import { chooseTrust, pinnable as pinnableOn } from './choose-trust.js';
import { refused } from './conclude.js';
import { type Continuity, continuityOf, type Remembered } from './continuity.js';
import { parseInParts } from './parse-parts.js';
import { runInSlices } from './slices.js';
import { failed, type Step, type Verification } from './step.js';
import { type ProvenRecord, type RecordTerms, verifyRecord } from './verify-record.js';

const hashing = treeHashing(nobleCrypto.sha256);

/** @throws BadTrust */
export const pinnable = (pasted: string): string => pinnableOn(nobleCrypto, pasted);

export const verifyRecordHere = (proven: ProvenRecord, terms: Omit<RecordTerms, 'crypto'>) =>
  verifyRecord(proven, { ...terms, crypto: nobleCrypto });

/** The trusted keys and the opened checkpoint of a note of the server; a failed step if one of them cannot be had. */
export function openServed(note: string, vkey: string, pinned: readonly string[]): { trust: Trust; opened: OpenedCheckpoint } | Step {
  const chosen = chooseTrust(nobleCrypto, pinned, vkey, 'server');
  if (!('trust' in chosen)) return chosen;
  const { opened, step } = openedWith(note, chosen.trust);
  return opened ? { trust: chosen.trust, opened } : step;
}

export const continuityHere = (
  before: Remembered | undefined,
  served: { newest: OpenedCheckpoint; vkey: string },
  path: readonly string[] | undefined,
): Continuity => continuityOf(hashing, before, served, path);

/** Who signed a note beside the log. Only signatures of pinned witnesses are verified. */
export function cosignersOf(note: string, vkey: string, pinned: readonly string[]) {
  const served = openServed(note, vkey, pinned);
  if (!('opened' in served)) return { kind: 'none' as const, reason: served.says };
  const { opened, trust } = served;
  const { found } = cosignaturesOf(opened, trust);
  const names = new Set(opened.note.signatures.map(({ name }) => name).filter((name) => name !== trust.log.name));
  const signers = [...names].map((name) => {
    const own = found.find((one) => one.name === name);
    return own ? { name, is_verified: true, checks: own.checks } : { name, is_verified: false };
  });
  return { kind: 'cosigned' as const, size: opened.size, signers };
}

type Terms = Omit<BundleTerms, 'crypto' | 'schemas'>;

interface Watching {
  onProgress: (progress: BundleProgress) => void;
  signal: AbortSignal;
}

/** Verifies the text of a bundle, without keeping the page busy. */
export async function verifyBundleText(text: string, terms: Terms, { onProgress, signal }: Watching): Promise<Verification> {
  const { eventSchemas } = await import('@countersign/contracts/generated/schemas');
  let bundle: Bundle;
  try {
    bundle = (await runInSlices(parseInParts(text), { signal })) as unknown as Bundle;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return refused([failed('format', 'Form of the file', `This is no JSON of an evidence bundle: ${cause.message.slice(0, 200)}.`)]);
  }
  const steps = verifiedBundle(bundle, { ...terms, crypto: nobleCrypto, schemas: eventSchemas });
  return runInSlices(steps, { onPause: onProgress, signal });
}
