import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { type CaseKey, type CaseLeaf, type CasePart, CaseTable, type CaseTopic, caseKey, type NewCaseLeaf } from '@countersign/evidence';
import { caseHash, caseStart, nodeHashing, strictBase64 } from '@countersign/proofs';
import type { CoveredEntry } from './covered-entry.js';

const PAGE_LEAVES = 500;
/** The newest leaves of this many cases are kept; others are read again. */
const RECENT_MAX = 10_000;

interface Known extends Pick<CaseLeaf, 'offset' | 'records' | 'hash'> {
  key: CaseKey;
}

/** Writes the leaves of the tree of cases: each case's newest leaf leads to the one before. */
export class CaseLeaves {
  private readonly newest = new CaseTable();
  private readonly recent = new Map<string, Known>();
  /** The leaves of the last entry on the topic: a crash may have left some of them out. */
  private lastEntry = new Map<string, CaseLeaf>();
  /** Its number. */
  last: number | undefined;

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

  private note(leaf: CaseLeaf): void {
    if (this.last !== undefined && leaf.entry < this.last) return;
    if (leaf.entry !== this.last) this.lastEntry = new Map();
    this.last = leaf.entry;
    const name = nameOf(leaf);
    // A leaf that is there twice counts once.
    if (this.lastEntry.has(name)) return;
    this.lastEntry.set(name, leaf);
    const key = this.recent.get(name)?.key ?? caseKey(leaf.tenant_id, leaf.case_id);
    this.newest.set(key, leaf.offset);
    this.keep(name, leaf, key);
  }

  private keep(name: string, { offset, records, hash }: CaseLeaf, key: CaseKey): void {
    this.recent.delete(name);
    this.recent.set(name, { offset, records, hash, key });
    if (this.recent.size <= RECENT_MAX) return;
    for (const oldest of this.recent.keys()) {
      this.recent.delete(oldest);
      return;
    }
  }

  /** Writes the leaves of an entry, once. */
  async write(entry: CoveredEntry, parts: readonly CasePart[], now_ms: number): Promise<void> {
    if (this.last !== undefined && entry.number < this.last) return;
    const missing = entry.number === this.last ? parts.filter((part) => !this.lastEntry.has(nameOf(part))) : parts;
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

  private async before(tenant_id: string, case_id: string): Promise<Pick<Known, 'offset' | 'records' | 'hash'> | undefined> {
    const name = nameOf({ tenant_id, case_id });
    const known = this.recent.get(name);
    if (known) return known;
    const offset = this.newest.get(caseKey(tenant_id, case_id));
    const [leaf] = offset === undefined ? [] : await this.topic.read(offset, 1);
    return leaf && nameOf(leaf) === name ? leaf : undefined;
  }
}

const nameOf = ({ tenant_id, case_id }: Pick<CaseLeaf, 'tenant_id' | 'case_id'>) => `${tenant_id}\n${case_id}`;
