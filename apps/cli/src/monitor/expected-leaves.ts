import type { CaseLeaf, CasePart, CasesStart } from '@countersign/evidence';
import { caseHash, caseStart, nodeHashing, strictBase64 } from '@countersign/proofs';

/** Leaves follow the entry that they are of within seconds, or when the signer is back. */
export const LATE_MS = 600_000;

/** What an entry must add to a case. */
interface Expected {
  tenant_id: string;
  case_id: string;
  entry: number;
  cut: number;
  time_ms: number;
  /** Base64. */
  leaves: string[];
}

/** Leaves before the newest one of a case that are known: a signer that another one replaced may still append its copy of one. */
const EARLIER_MAX = 8;

/** The newest leaf of a case. `earlier`: those before it; absent in state of earlier releases. */
type Newest = Pick<CaseLeaf, 'offset' | 'entry' | 'records' | 'hash'> & { earlier?: Pick<CaseLeaf, 'entry' | 'hash'>[] };

/** The form in which this is stored. */
export interface StoredLeaves {
  expected: Expected[];
  newest: [string, Newest][];
  /** Entries of which some records were dropped, or may belong to calls whose request was dropped. */
  unsure: number[];
  /** Where the cases of the growing tree begin; absent in state of earlier releases. */
  start?: CasesStart;
  /** The tree of cases was given up from some leaf on, and the next one has not begun. */
  is_given_up?: boolean;
  checked: number;
  unchecked: number;
}

const nameOf = ({ tenant_id, case_id }: Pick<CaseLeaf, 'tenant_id' | 'case_id'>) => `${tenant_id}\n${case_id}`;
const textOf = ({ case_id, entry }: Pick<CaseLeaf, 'case_id' | 'entry'>) => `the leaf of case ${case_id} for checkpoint ${entry + 1}`;

/** The leaves that the tree of cases must have, by the records of the log. */
export class ExpectedLeaves {
  private expected: Expected[];
  private readonly newest: Map<string, Newest>;
  private readonly unsure: Set<number>;
  private start: CasesStart;
  private isGivenUp: boolean;
  /** Leaves that were recomputed, and those that could not be because records were dropped. */
  checked: number;
  unchecked: number;

  constructor(
    { expected, newest, unsure, start, is_given_up, checked, unchecked }: StoredLeaves = {
      ...{ expected: [], newest: [], unsure: [], checked: 0, unchecked: 0 },
    },
  ) {
    this.start = start ?? { offset: 0, entry: 0, generation: 1 };
    this.isGivenUp = is_given_up ?? false;
    this.expected = expected;
    this.newest = new Map(newest);
    this.unsure = new Set(unsure);
    this.checked = checked;
    this.unchecked = unchecked;
  }

  get stored(): StoredLeaves {
    const { expected, start, isGivenUp: is_given_up, checked, unchecked } = this;
    return { expected, newest: [...this.newest], unsure: [...this.unsure], start, is_given_up, checked, unchecked };
  }

  /** A leaf of the tree was given up: its later leaves are not judged. */
  giveUp(): void {
    this.isGivenUp = true;
    this.unchecked += this.expected.length;
    this.expected = [];
  }

  /** The next generation of the tree begins, and each case anew. */
  begin(start: CasesStart): void {
    this.giveUp();
    this.isGivenUp = false;
    this.start = start;
    this.newest.clear();
    this.unsure.clear();
  }

  /** Notes what an entry touches. `isUnsure`: some of its records cannot be attributed, because earlier ones were dropped. */
  covered({ number, cut, time_ms }: { number: number; cut: number; time_ms: number }, parts: readonly CasePart[], isUnsure: boolean): void {
    if (this.isGivenUp) this.unchecked += parts.length;
    else
      for (const { tenant_id, case_id, records } of parts)
        this.expected.push({ tenant_id, case_id, entry: number, cut, time_ms, leaves: records.map(({ leaf }) => leaf.toString('base64')) });
    if (isUnsure) this.unsure.add(number);
  }

  /** Why a leaf is not the one that the log demands; undefined if it is. */
  leaf(leaf: CaseLeaf): string | undefined {
    if (this.isGivenUp || leaf.offset < this.start.offset || leaf.entry < this.start.entry) return undefined;
    const before = this.newest.get(nameOf(leaf));
    if (before && [before, ...(before.earlier ?? [])].some((known) => known.entry === leaf.entry && known.hash === leaf.hash))
      return undefined;
    const missing = this.expected.find(({ entry }) => entry < leaf.entry && !this.unsure.has(entry));
    if (missing) return `${textOf(missing)} is missing`;
    const at = this.expected.findIndex((one) => one.entry === leaf.entry && nameOf(one) === nameOf(leaf));
    const wrong = wrongIn(leaf, before, this.expected[at]);
    const isUnsure = this.unsure.has(leaf.entry);
    if (wrong !== undefined && !isUnsure) return `${textOf(leaf)} ${wrong}`;
    if (at >= 0) this.expected.splice(at, 1);
    if (wrong === undefined) this.checked++;
    else this.unchecked++;
    this.forgetBefore(leaf.entry);
    const { offset, entry, records, hash } = leaf;
    const earlier = before ? [...(before.earlier ?? []), { entry: before.entry, hash: before.hash }].slice(-EARLIER_MAX) : [];
    this.newest.set(nameOf(leaf), { offset, entry, records, hash, earlier });
    return undefined;
  }

  private forgetBefore(number: number): void {
    this.expected = this.expected.filter(({ entry }) => entry >= number || !this.unsure.has(entry));
    for (const entry of this.unsure) if (entry < number) this.unsure.delete(entry);
  }

  /** Why leaves are missing at the time of an entry; undefined if none is due. */
  due(time_ms: number): string | undefined {
    const late = this.expected.find((one) => time_ms - one.time_ms > LATE_MS && !this.unsure.has(one.entry));
    return late && `${textOf(late)} is missing: later checkpoints were signed for ${Math.round((time_ms - late.time_ms) / 60_000)} minutes`;
  }
}

function wrongIn(leaf: CaseLeaf, before: Newest | undefined, expected: Expected | undefined): string | undefined {
  if (!expected) return 'counts records that the checkpoint does not add to the case';
  const { tenant_id, case_id, cut, leaves } = expected;
  if (leaf.cut !== cut) return `has cut ${leaf.cut}, and its checkpoint has ${cut}`;
  if (leaf.added !== leaves.length) return `counts ${leaf.added} records, and the checkpoint adds ${leaves.length}`;
  const records = (before?.records ?? 0) + leaves.length;
  if (leaf.records !== records) return `counts ${leaf.records} records in all, and the case has ${records}`;
  if (leaf.previous !== (before?.offset ?? null)) return 'does not lead to the leaf before';
  const start = before ? strictBase64(before.hash) : caseStart(nodeHashing, tenant_id, case_id);
  const hash = caseHash(nodeHashing, start, { entry: leaf.entry, cut: leaf.cut }, leaves.map(strictBase64));
  return hash.toString('base64') === leaf.hash ? undefined : 'has the hash of other records than the checkpoint adds';
}
