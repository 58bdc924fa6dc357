import {
  type Bundle,
  type BundleProgress,
  type BundleReport,
  type BundleStep,
  type BundleVerdict,
  type CausesFound,
  EventDecoder,
  type KnownSchema,
  type ProofCrypto,
  treeHashing,
  bundleSteps as verifiedInSteps,
} from '@countersign/verifier';
import { type Asked, askedBundle, notReached } from './asked.js';
import { type Cosignatures, cosignaturesOf, type OpenedCheckpoint, openedWith, witnessStep } from './checkpoint-steps.js';
import { type ChosenTrust, chooseTrust, type NamedBy } from './choose-trust.js';
import { concluded, isRefused, refused } from './conclude.js';
import { type Continuity, continuityStep } from './continuity.js';
import { failed, proven, type Step, sentence, skipped, type Verification } from './step.js';

const TITLES: Record<Exclude<BundleStep, 'checkpoint'>, string> = {
  format: 'Form of the file',
  key: 'Key that the file names',
  schemas: 'Schemas',
  records: 'Records',
  subject: 'What the file is about',
  calls: 'Shown states of calls',
  causes: 'Causes of records',
  course: 'Course of each call',
  case: 'Records of the case',
};
/** In the order of the verifier. */
const AFTER_WITNESSES = ['key', 'schemas', 'records', 'subject', 'calls', 'causes', 'course', 'case'] as const;
/** The last step needs a leaf of the case, which not every bundle has. */
const afterWitnesses = (bundle: Bundle) => AFTER_WITNESSES.filter((id) => id !== 'case' || bundle.case !== undefined);

const WHOLE = 'It has every member of the format, and no other that a reader could mistake for evidence.';
const INCOMPLETE =
  'That nothing came later: later records, or calls of the case, may be missing. Compare it with an export of the time, or with later evidence.';

export interface BundleTerms {
  crypto: ProofCrypto;
  schemas: readonly KnownSchema[];
  pinned: readonly string[];
  by: NamedBy;
  /** Absent: a file, which may be about anything. */
  asked?: Extract<Asked, { kind: 'call' | 'case' }> | undefined;
  /** How the log relates to what this browser saw of it; undefined: that is not known. */
  continuity: (opened: OpenedCheckpoint, vkey: string) => Continuity | undefined;
}

/** The checkpoint of a bundle under the chosen keys. */
interface Signed {
  chosen: ChosenTrust;
  opened: OpenedCheckpoint | undefined;
  signature: Step;
  cosignatures: Cosignatures;
  continuity: Continuity | undefined;
}

const NOT_COSIGNED: Cosignatures = { found: [], missing: [] };
const BEFORE: BundleProgress = { proven: 0, records: 0 };

/** Verifies a bundle, with pauses: everything that `countersign verify` checks, told step by step. */
export function* verifiedBundle(bundle: Bundle, terms: BundleTerms): Generator<BundleProgress, Verification, void> {
  const chosen = chooseTrust(terms.crypto, terms.pinned, String(bundle.vkey), terms.by);
  if (!('trust' in chosen)) return refused([chosen, ...rest('format', bundle)]);
  const { trust } = chosen;
  yield BEFORE;
  const { opened, step: signature } = openedWith(String(bundle.checkpoint), trust);
  yield BEFORE;
  const cosignatures = opened ? cosignaturesOf(opened, trust) : NOT_COSIGNED;
  const signed = { chosen, opened, signature, cosignatures, continuity: opened && terms.continuity(opened, trust.log.vkey) };
  yield BEFORE;
  const decoder = new EventDecoder(terms.schemas);
  const verdict = yield* verifiedInSteps(bundle, trust, { hashing: treeHashing(terms.crypto.sha256), decoder });
  const before = told(bundle, signed, verdict);
  const own = terms.asked ? [isRefused(before) ? notReached() : askedBundle(bundle, terms.asked)] : [];
  return ended(signed, verdict, [...before, ...own]);
}

function ended(signed: Signed, verdict: BundleVerdict, before: readonly Step[]): Verification {
  const { continuity } = signed;
  const steps = [...before, ...(continuity ? [continuityStep(continuity)] : [])];
  return verdict.kind === 'refused' || isRefused(steps) ? refused(steps) : conclusion(verdict, signed, steps);
}

function rest(from: 'format' | 'checkpoint', bundle: Bundle): Step[] {
  const signed = [skipped('checkpoint', 'Signature of the checkpoint'), skipped('witnesses', 'Witnesses')];
  const after = afterWitnesses(bundle).map((id) => skipped(`file-${id}`, TITLES[id]));
  return [...(from === 'format' ? [skipped('format', TITLES.format)] : []), ...signed, ...after];
}

function told(bundle: Bundle, { chosen: { step: key }, opened, signature, cosignatures }: Signed, verdict: BundleVerdict): Step[] {
  const stopped = verdict.kind === 'refused' ? (verdict.step ?? 'format') : undefined;
  const reason = verdict.kind === 'refused' ? sentence(verdict.reason) : '';
  if (stopped === 'format') return [key, failed('format', TITLES.format, reason), ...rest('checkpoint', bundle)];
  const format = proven('format', TITLES.format, WHOLE);
  if (!opened) return [key, format, signature, ...rest('checkpoint', bundle).slice(1)];
  const witnesses = witnessStep(cosignatures, true);
  const ids = afterWitnesses(bundle);
  const end = stopped === 'checkpoint' ? -1 : stopped === undefined ? ids.length : ids.indexOf(stopped);
  const after = ids.map((id, at) => {
    if (at > end) return skipped(`file-${id}`, TITLES[id]);
    return at === end ? failed(`file-${id}`, TITLES[id], reason) : proven(`file-${id}`, TITLES[id], saying(id, bundle, verdict));
  });
  return [key, format, signature, witnesses, ...after];
}

const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`;

function saying(id: (typeof AFTER_WITNESSES)[number], bundle: Bundle, verdict: BundleVerdict): string {
  switch (id) {
    case 'key':
      return 'It is the key that signed the checkpoint.';
    case 'schemas':
      return 'This console knows each schema, so that the bytes can be read in one way only.';
    case 'records':
      return `${count(bundle.records.length, 'record')}: each was hashed here, its paths lead to the signed root, and its bytes say what the file shows.`;
    case 'subject':
      return `Every record is of the tenant and of ${'call_id' in bundle.subject ? 'the call' : 'the case'} that the file names.`;
    case 'calls':
      return `${count(bundle.calls.length, 'call')}: status, rulings, viewers and votes were computed here from the records, and are the same.`;
    case 'causes':
      return causesShown(verdict.kind === 'verified' ? verdict.causes : undefined);
    case 'course':
      return 'Revisions have no gap, each counted vote was cast, and each effect has its start.';
    case 'case':
      return 'The records add up to the hash and the number that the leaf of the case has in the signed tree of cases.';
  }
}

function conclusion(report: BundleReport, { chosen, cosignatures, continuity }: Signed, steps: Step[]): Verification {
  return concluded(steps, {
    what: report.records === 1 ? 'The record' : `Each of ${report.records} records`,
    log: chosen.trust.log.name,
    is_pinned: chosen.is_pinned,
    checkpoint_size: report.checkpoint_size,
    checkpoint_time_ms: report.checkpoint_time_ms,
    cosigned: cosignatures.found,
    continuity,
    also: ['The state of each call, its rulings, who saw the request and who voted how follow from these records.'],
    left_open: [...unproven(report), leftOpen(report), ...report.generations.map(restarted)],
  });
}

function leftOpen({ case: of }: BundleReport): string {
  if (!of || of.outside > 0) return INCOMPLETE;
  return `What came after cut ${of.cut}: up to there all ${count(of.records, 'record')} of the case are in the file. Also what the owner of the log and its signer left out from the start; \`countersign monitor\` looks for that.`;
}

function causesShown(causes: CausesFound | undefined): string {
  if (!causes) return 'Each record comes after its cause.';
  return `${count(causes.proven, 'record')} name the hash of their cause, and that record is in the file. Each comes after its cause.`;
}

/** What is missing from the evidence without being seen. */
function unproven({ causes, open }: BundleReport): string[] {
  const ancestors =
    causes.unproven > 0
      ? [`That the file is complete: ${count(causes.unproven, 'record')} have no hash of their cause, as in earlier releases.`]
      : [];
  const ends = open.length > 0 ? [`That ${count(open.length, 'call')} had no end yet: its record may have been left out.`] : [];
  return [...ancestors, ...ends];
}

const restarted = ({ tree, generation: { base_offset, decision } }: BundleReport['generations'][number]): string =>
  `Which records stood in ${tree} before offset ${base_offset}: decision ${decision} started it again there.`;
