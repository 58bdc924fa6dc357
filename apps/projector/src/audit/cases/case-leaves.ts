import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { type CaseLeaf, type CasePart, CaseTable, type CaseTopic, type NewCaseLeaf } from '@countersign/evidence';
import { caseHash, caseStart, nodeHashing, strictBase64 } from '@countersign/proofs';
import type { CoveredEntry } from './covered-entry.js';

const PAGE_LEAVES = 500;
/** The newest leaves of this many cases are kept; others are read again. */
const RECENT_MAX = 10_000;

type Known = Pick<CaseLeaf, 'offset' | 'entry' | 'records' | 'hash'>;

/** Writes the leaves of the tree of cases: each case's newest leaf leads to the one before. */
export class CaseLeaves {
  private readonly newest = new CaseTable();
  private readonly recent = new Map<string, Known>();
  /** The leaves of the last entry on the topic: a crash may have left some of them out. */
  private lastEntry: CaseLeaf[] = [];

  private constructor(private readonly topic: CaseTopic) {}

  /** Reads the topic. @throws BrokenRecord for a record that is no leaf */
  static async open(topic: CaseTopic): Promise<CaseLeaves> {
    const leaves = new CaseLeaves(topic);
    for (let at = 0; ; ) {
      const page = await topic.read(at, PAGE_LEAVES);
      if (page.length === 0) return leaves;
      for (const leaf of page) leaves.note(leaf);
      at += page.length;
      await yieldToOthers();
    }
  }

  /** The last entry that has leaves. */
  get last(): number | undefined {
    return this.lastEntry[0]?.entry;
  }

  private note(leaf: CaseLeaf): void {
    if (this.last !== undefined && leaf.entry < this.last) return;
    if (leaf.entry !== this.last) this.lastEntry = [];
    if (this.lastEntry.some((known) => isSame(known, leaf))) return;
    this.lastEntry.push(leaf);
    this.newest.set(leaf.tenant_id, leaf.case_id, leaf.offset);
    this.keep(leaf);
  }

  private keep(leaf: CaseLeaf): void {
    const name = nameOf(leaf);
    const { offset, entry, records, hash } = leaf;
    this.recent.delete(name);
    this.recent.set(name, { offset, entry, records, hash });
    if (this.recent.size <= RECENT_MAX) return;
    for (const oldest of this.recent.keys()) {
      this.recent.delete(oldest);
      return;
    }
  }

  /** Writes the leaves of an entry, once. */
  async write(entry: CoveredEntry, parts: readonly CasePart[], now_ms: number): Promise<void> {
    if (this.last !== undefined && entry.number < this.last) return;
    const missing =
      entry.number === this.last ? parts.filter((part) => !this.lastEntry.some((leaf) => nameOf(leaf) === nameOf(part))) : parts;
    if (missing.length === 0) return;
    const leaves: NewCaseLeaf[] = [];
    for (const part of missing) leaves.push(await this.leafOf(entry, part));
    const offsets = await this.topic.append(leaves, now_ms);
    for (const [at, leaf] of leaves.entries()) this.note({ ...leaf, offset: offsets[at] as number });
  }

  private async leafOf({ number, cut }: CoveredEntry, { tenant_id, case_id, records }: CasePart): Promise<NewCaseLeaf> {
    const before = await this.before(tenant_id, case_id);
    const from = before ? strictBase64(before.hash) : caseStart(nodeHashing, tenant_id, case_id);
    const step = { entry: number, cut: cut.number };
    const leaves = records.map(({ leaf }) => leaf);
    return {
      tenant_id,
      case_id,
      ...step,
      added: records.length,
      records: (before?.records ?? 0) + records.length,
      hash: caseHash(nodeHashing, from, step, leaves).toString('base64'),
      previous: before?.offset ?? null,
    };
  }

  private async before(tenant_id: string, case_id: string): Promise<Known | undefined> {
    const known = this.recent.get(nameOf({ tenant_id, case_id }));
    if (known) return known;
    const offset = this.newest.get(tenant_id, case_id);
    if (offset === undefined) return undefined;
    const [leaf] = await this.topic.read(offset, 1);
    return leaf && nameOf(leaf) === nameOf({ tenant_id, case_id }) ? leaf : undefined;
  }
}

const nameOf = ({ tenant_id, case_id }: Pick<CaseLeaf, 'tenant_id' | 'case_id'>) => `${tenant_id}\n${case_id}`;

const isSame = (a: NewCaseLeaf, b: NewCaseLeaf) => nameOf(a) === nameOf(b) && a.entry === b.entry && a.hash === b.hash;
