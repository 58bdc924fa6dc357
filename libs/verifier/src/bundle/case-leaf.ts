import type { CaseCovered } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain/call/evolve';
import { strictBase64 } from '../bytes/base64.js';
import { type ProvenCase, provenCase } from '../case/bundled-case.js';
import { CASES_TREE } from '../case/case-hash.js';
import type { TrustedCheckpoint } from '../note/trust.js';
import { verifyUnder } from '../record/record-proof.js';
import type { Bundle } from './bundle.js';
import type { HashedEvent } from './causes.js';
import { placeOf, readEvent } from './read-event.js';
import type { BundlePlatform } from './record-decoder.js';

/** What the leaf of a case proves of a bundle. */
export interface CaseProof extends ProvenCase {
  /** Records of the bundle's calls that the leaf does not count: they came later, or before the tree of cases began. */
  uncounted: number;
  /** The decision by which the tree of cases, and with it each case, began anew; absent for the original tree. */
  begun_by?: string;
}

/** What the leaf of the case proves, or why it proves nothing. */
export function caseOf(
  { case: of, tenant_id, calls }: Bundle,
  hashed: readonly HashedEvent[],
  signed: TrustedCheckpoint,
  { hashing, decoder }: BundlePlatform,
): CaseProof | string | undefined {
  if (!of) return undefined;
  const { leaf, steps } = of;
  const value = strictBase64(leaf.value);
  const verdict = verifyUnder(hashing, { ...leaf, value }, leaf.proof, signed);
  if (verdict.kind === 'refused') return `${placeOf(leaf)}: ${verdict.reason}`;
  const event = readEvent(decoder, leaf, value);
  if (typeof event === 'string') return event;
  if (event.event_type !== 'case_covered' || leaf.topic !== CASES_TREE) return `${placeOf(leaf)} is not the leaf of a case`;
  const covered = event.event as unknown as CaseCovered;
  if (covered.meta.tenant_id !== tenant_id) return 'the leaf is of a case of another tenant';
  const shown = new Set<string | null>(calls.map(({ call_id }) => call_id));
  const ofCalls = hashed.filter(({ at }) => shown.has(at.event.meta.call_id)).map(({ at }) => at);
  if (ofCalls.some((at) => isOfOther(at, covered.case_id))) return 'the leaf is of another case than the calls';
  const leaves = hashed.map(({ leaf_hash }) => strictBase64(leaf_hash));
  const proven = provenCase(hashing, covered, steps, leaves);
  if (typeof proven === 'string') return proven;
  const { generation } = leaf.proof.tree;
  return { ...proven, uncounted: ofCalls.length - proven.cuts.size, ...(generation && { begun_by: generation.decision }) };
}

const isOfOther = (at: PlacedEvent, case_id: string) => at.event_type === 'tool_call_requested' && at.event.call.case_id !== case_id;
