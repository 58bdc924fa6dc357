import { CASES_TOPIC, type EventMap, peekMeta } from '@countersign/contracts';
import { type CallRecord, CaseParts, caseLeaf, isOfCalls } from '@countersign/evidence';
import { baseOf, generationNumber, headName, readHead, type ServedEntry, strictBase64, type TreeHead } from '@countersign/proofs';
import type { LogClient } from '../witness/log-client.js';
import { ExpectedLeaves, type StoredLeaves } from './expected-leaves.js';
import { type FollowedLeaf, FollowedTree, type StoredTree } from './followed-tree.js';
import type { GivenUpRecords } from './given-up.js';
import { PageDecoder } from './page-decoder.js';
import { RequestedCalls } from './requested-calls.js';

/** A record of a call, and the number of the cut that covers it. */
type CutRecord = CallRecord & { cut: number };

/** The form in which a monitor is stored. */
export interface StoredCases {
  trees: StoredTree[];
  calls: [string, string | null][];
  waiting: (Omit<CutRecord, 'leaf'> & { leaf: string })[];
  leaves: StoredLeaves;
  /** Whether a request may have been among records that were dropped or given up. */
  has_dropped: boolean;
}

/** Refolds the tree of cases from the records of the own tenant, entry by entry. */
export class CaseMonitor {
  private readonly trees: Map<string, FollowedTree>;
  private readonly calls: RequestedCalls;
  private readonly parts: CaseParts<CutRecord>;
  private readonly leaves: ExpectedLeaves;
  private readonly decoder = new PageDecoder();
  private hasDropped: boolean;

  constructor(stored?: StoredCases) {
    this.trees = new Map(stored?.trees.map((tree) => [tree.name, FollowedTree.stored(tree)]));
    this.calls = new RequestedCalls(stored?.calls);
    this.parts = new CaseParts(
      this.calls,
      stored?.waiting.map((record) => ({ ...record, leaf: strictBase64(record.leaf) })),
    );
    this.leaves = new ExpectedLeaves(stored?.leaves);
    this.hasDropped = stored?.has_dropped ?? false;
  }

  get checked(): number {
    return this.leaves.checked;
  }

  get unchecked(): number {
    return this.leaves.unchecked;
  }

  toStore(): StoredCases {
    return {
      trees: [...this.trees.values()].map((tree) => tree.toStore()),
      calls: this.calls.stored,
      waiting: this.parts.pending.map((record) => ({ ...record, leaf: record.leaf.toString('base64') })),
      leaves: this.leaves.stored,
      has_dropped: this.hasDropped,
    };
  }

  /** Checks an entry whose trees are proven to continue the ones before. Returns what is wrong, or undefined. @throws LogUnavailable */
  async entry(client: LogClient, { number, time_ms, moved, cut }: ServedEntry, given_up: GivenUpRecords): Promise<string | undefined> {
    const heads = moved.map(([topic, partition, size, root, , generation]) => readHead([topic, partition, size, root, generation]));
    const calls: FollowedLeaf[] = [];
    for (const head of heads.filter(({ topic }) => isOfCalls(topic))) {
      const grown = await this.grow(client, head, given_up);
      if (typeof grown === 'string') return grown;
      calls.push(...grown);
    }
    for (const leaf of calls) this.calls.note(leaf);
    if (calls.some(({ isDropped }) => isDropped)) this.hasDropped = true;
    this.reopen(heads, number);
    if (cut) await this.count({ number, cut: cut.number, time_ms }, calls);
    const cases = heads.find(({ topic }) => topic === CASES_TOPIC);
    const wrong = cases && (await this.check(client, cases, given_up));
    return wrong ?? this.leaves.due(time_ms);
  }

  /** Cases begin anew with the entry that opens a later generation of their tree. */
  private reopen(heads: readonly TreeHead[], entry: number): void {
    const opened = heads.find((head) => head.topic === CASES_TOPIC && head.generation && !this.trees.has(headName(head)));
    if (!opened) return;
    const offset = Math.max(...[...this.trees.values()].filter(({ topic }) => topic === CASES_TOPIC).map(({ end }) => end), baseOf(opened));
    this.leaves.begin({ offset, entry, generation: generationNumber(opened) });
  }

  /** A request is covered at the latest by the cut after that of its records: what waits longer waits for one that was dropped. */
  private async count(at: { number: number; cut: number; time_ms: number }, leaves: readonly FollowedLeaf[]): Promise<void> {
    if (this.hasDropped) this.parts.forget(({ cut }) => at.cut > cut + 1);
    const waited = this.parts.pending.length;
    const parts = await this.parts.cover(leaves.flatMap((leaf) => callRecord(leaf, at.cut)));
    const isUnsure = waited > 0 || this.parts.pending.length > 0 || leaves.some(({ isDropped }) => isDropped);
    this.leaves.covered(at, parts, this.hasDropped && isUnsure);
  }

  private async check(client: LogClient, head: TreeHead, given_up: GivenUpRecords): Promise<string | undefined> {
    const grown = await this.grow(client, head, given_up);
    if (typeof grown === 'string') return grown;
    if (grown.some(({ isDropped }) => isDropped)) this.leaves.giveUp();
    for (const { offset, record } of grown) {
      if (record?.decoded?.event_type !== 'case_covered') continue;
      const wrong = this.leaves.leaf(caseLeaf(offset, record.decoded.event as EventMap['case_covered']));
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  private grow(client: LogClient, head: TreeHead, given_up: GivenUpRecords): Promise<FollowedLeaf[] | string> {
    const tree = this.trees.get(headName(head)) ?? FollowedTree.of(head);
    this.trees.set(headName(head), tree);
    return tree.grow(client, this.decoder, head, given_up.from(head));
  }
}

function callRecord({ topic, partition, offset, hash, record }: FollowedLeaf, cut: number): CutRecord[] {
  const meta = record && peekMeta(record.value);
  if (!meta || meta.call_id === null) return [];
  return [{ topic, partition, offset, leaf: hash, tenant_id: meta.tenant_id, call_id: meta.call_id, cut }];
}
