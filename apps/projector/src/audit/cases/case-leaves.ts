import { setImmediate as yieldToOthers } from 'node:timers/promises';
import {
  type CaseKey,
  type CaseLeaf,
  type CasePart,
  type CasesStart,
  CaseTable,
  type CaseTopic,
  caseKey,
  type NewCaseLeaf,
  RecentMap,
} from '@countersign/evidence';
import { caseHash, caseStart, nodeHashing, strictBase64 } from '@countersign/proofs';
import type { CoveredEntry } from './covered-entry.js';

const PAGE_LEAVES = 500;
/** The newest leaves of this many cases are kept, and at most of twice as many; others are read again. */
const RECENT_CASES = 5_000;

/** The state of a case after its newest leaf. */
interface Known {
  key: CaseKey;
  /** Offset of that leaf; null for a case without one. */
  offset: number | null;
  records: number;
  hash: Buffer;
}

/** A leaf to append, and its hash. */
interface NextLeaf {
  leaf: NewCaseLeaf;
  hash: Buffer;
  key: CaseKey;
}

/** Writes the leaves of the tree of cases: each case's newest leaf leads to the one before. */
export class CaseLeaves {
  private readonly newest = new CaseTable();
  private readonly recent = new RecentMap<Known>(RECENT_CASES);
  /** The newest leaf on the topic. */
  newestLeaf: { entry: number; offset: number } | undefined;
  /** The cases with leaves of its entry: a crash may have left some of them out. */
  private lastEntry = new Set<string>();

  private constructor(
    private readonly topic: CaseTopic,
    private readonly start: CasesStart,
  ) {}

  /** Reads the topic. @throws BrokenRecord for a record that is no leaf */
  static async open(topic: CaseTopic, start: CasesStart): Promise<CaseLeaves> {
    const leaves = new CaseLeaves(topic, start);
    for (let at = start.offset; ; ) {
      const page = await topic.read(at, PAGE_LEAVES, start.generation);
      if (page.length === 0) return leaves;
      for (const leaf of page) if (leaf.entry >= start.entry) leaves.read(leaf);
      at += page.length;
      await yieldToOthers();
    }
  }

  private read(leaf: CaseLeaf): void {
    const key = this.recent.get(nameOf(leaf))?.key ?? caseKey(caseStart(nodeHashing, leaf.tenant_id, leaf.case_id));
    this.note(leaf, { key, offset: leaf.offset, records: leaf.records, hash: strictBase64(leaf.hash) });
  }

  private note(leaf: NewCaseLeaf, known: Known & { offset: number }): void {
    const last = this.newestLeaf?.entry;
    if (last !== undefined && leaf.entry < last) return;
    if (leaf.entry !== last) this.lastEntry = new Set();
    this.newestLeaf = { entry: leaf.entry, offset: known.offset };
    const name = nameOf(leaf);
    // A leaf that is there twice counts once.
    if (this.lastEntry.has(name)) return;
    this.lastEntry.add(name);
    this.newest.set(known.key, known.offset);
    this.recent.set(name, known);
  }

  /** Writes the leaves of an entry, once. Entries before the start of the cases have none. */
  async write(entry: CoveredEntry, parts: readonly CasePart[], now_ms: number): Promise<void> {
    const last = this.newestLeaf?.entry;
    if (entry.number < Math.max(this.start.entry, last ?? 0)) return;
    const missing = entry.number === last ? parts.filter((part) => !this.lastEntry.has(nameOf(part))) : parts;
    if (missing.length === 0) return;
    const next: NextLeaf[] = [];
    for (const part of missing) {
      const before = this.recent.get(nameOf(part)) ?? this.before(part);
      next.push(nextLeaf(entry, part, before instanceof Promise ? await before : before));
    }
    const offsets = await this.topic.append(
      next.map(({ leaf }) => leaf),
      now_ms,
    );
    for (const [at, { leaf, hash, key }] of next.entries())
      this.note(leaf, { key, offset: offsets[at] as number, records: leaf.records, hash });
  }

  /** The state of a case that is not kept. */
  private before({ tenant_id, case_id }: CasePart): Known | Promise<Known> {
    const start = caseStart(nodeHashing, tenant_id, case_id);
    const key = caseKey(start);
    const none: Known = { key, offset: null, records: 0, hash: start };
    const offset = this.newest.get(key);
    if (offset === undefined) return none;
    return this.topic.read(offset, 1, this.start.generation).then(([leaf]) => {
      if (leaf?.tenant_id !== tenant_id || leaf.case_id !== case_id) return none;
      return { key, offset, records: leaf.records, hash: strictBase64(leaf.hash) };
    });
  }
}

function nextLeaf({ number, cut }: CoveredEntry, { tenant_id, case_id, records }: CasePart, before: Known): NextLeaf {
  const step = { entry: number, cut: cut.number };
  const hash = caseHash(
    nodeHashing,
    before.hash,
    step,
    records.map(({ leaf }) => leaf),
  );
  const leaf = {
    tenant_id,
    case_id,
    entry: number,
    cut: cut.number,
    added: records.length,
    records: before.records + records.length,
    hash: hash.toString('base64'),
    previous: before.offset,
  };
  return { leaf, hash, key: before.key };
}

const nameOf = ({ tenant_id, case_id }: Pick<CaseLeaf, 'tenant_id' | 'case_id'>) => `${tenant_id}\n${case_id}`;
