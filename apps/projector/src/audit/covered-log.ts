import { CASES_TOPIC } from '@countersign/contracts';
import type { EventLog, LogBatch, RunningSubscription } from '@countersign/event-log';
import { CheckpointSigner, CoveredTree, type OpeningDecision, treeName, wireDecision } from '@countersign/evidence';
import type { Evidence } from '@countersign/process';
import { DECISIONS, headName, inclusionProof, leafIndex, subtreesOf, type TreeHead, type WireDecision } from '@countersign/proofs';
import type { CaseWriter } from './cases/case-writer.js';
import { ContinuedTrees, type TakenUp } from './continued-trees.js';
import { CutEnds } from './cut-ends.js';

/** Result of one signing. `behind`: records that must be read before signing are not read yet. */
export type Signed = 'kept' | 'taken' | 'nothing_new' | 'behind';

/** A checkpoint covers one second, so this delay is harmless. */
const MAX_DELAY_MS = 100;

/** Each partition of the log as a tree: hashes durable records, writes tiles, and signs the heads. */
export class CoveredLog {
  /** The growing tree of each partition. */
  private readonly trees: Map<string, CoveredTree>;
  private decided: readonly OpeningDecision[];
  private running: RunningSubscription | undefined;
  private fault: Error | undefined;
  private ends: CutEnds | undefined;

  private constructor(
    private readonly log: EventLog,
    private readonly evidence: Evidence,
    private readonly signer: CheckpointSigner,
    { trees, decided }: TakenUp,
    private readonly cases: CaseWriter | undefined,
  ) {
    this.trees = new Map(trees.map((tree) => [treeName(tree.topic, tree.partition), tree]));
    this.decided = decided;
  }

  /**
   * Resumes what was signed. `decisions` allow trees to continue as a new generation. @throws BrokenRecord if the log is shorter than a
   * checkpoint says, or a checkpoint does not continue the previous one.
   */
  static async open(
    log: EventLog,
    evidence: Evidence,
    decisions: readonly OpeningDecision[] = [],
    cases?: CaseWriter,
  ): Promise<CoveredLog> {
    const { signer, torn } = await CheckpointSigner.resume(evidence);
    const taken = await new ContinuedTrees(log, evidence, decisions).takeUp(signer.growing, torn);
    return new CoveredLog(log, evidence, signer, taken, cases);
  }

  /** Number of offsets read so far, over all partitions. */
  get size(): number {
    return [...this.trees.values()].reduce((sum, { next }) => sum + next, 0);
  }

  /** Follows these topics; calls `grown` with the number of added records. The leaves of cases are one: they make no entry due sooner. */
  async follow(topics: readonly string[], grown: (count: number) => Promise<void>): Promise<void> {
    this.ends = new CutEnds(this.log, topics);
    await this.ends.take();
    const from = [...this.trees.values()].map(({ topic, partition, next }) => ({ topic, partition, offset: next }));
    this.running = await this.log.follow({
      topics,
      visibility: 'durable',
      batch_records_max: 500,
      max_delay_ms: MAX_DELAY_MS,
      from,
      onBatch: (batch) => grown(counted(batch.topic, this.take(batch))),
    });
  }

  private take({ topic, partition, records }: LogBatch): number {
    const name = treeName(topic, partition);
    let tree = this.trees.get(name);
    if (!tree) {
      tree = CoveredTree.empty(topic, partition);
      this.trees.set(name, tree);
    }
    try {
      const leaves = tree.take(records);
      if (leaves.length > 0) this.cases?.take(records.slice(-leaves.length), leaves);
      return leaves.length;
    } catch (cause) {
      // A record is missing. The next signing reports it: an exception here would make the reader retry forever.
      this.fault ??= cause as Error;
      return records.length;
    }
  }

  /** Signs if there are new records. @throws BrokenRecord */
  async sign(time_ms: number): Promise<Signed> {
    if (this.fault) throw this.fault;
    if (!this.hasReadDecisions) return 'behind';
    const state = await this.ends?.state((topic, partition) => this.trees.get(treeName(topic, partition))?.next ?? 0);
    if (!state) return 'behind';
    const trees = [...this.trees.values()];
    await Promise.all(trees.map((tree) => tree.write(this.evidence.tiles)));
    if (trees.some((tree) => tree.isBehind)) return 'behind';
    const moved = await Promise.all(trees.map(async (tree) => ({ tree, move: await tree.move() })));
    const moves = moved.flatMap(({ move }) => (move ? [move] : []));
    if (moves.length === 0) return 'nothing_new';
    const settings = moves.find(({ head }) => treeName(head.topic, head.partition) === headName(DECISIONS));
    const signed = await this.signer.sign(moves, time_ms, settings ? await this.provenDecisions(settings.head) : [], state);
    if (signed !== 'kept') return signed;
    for (const { tree, move } of moved) if (move) tree.signedNow();
    this.decided = [];
    this.noteCovered(moves.map(({ head }) => head));
    if (state === 'closed') await this.ends?.take();
    return signed;
  }

  private noteCovered(moved: readonly TreeHead[]): void {
    const { number, cut } = this.signer.lastEntry ?? {};
    if (number !== undefined && cut) this.cases?.covered({ number, cut, moved });
  }

  /** True until an entry opens the next generation of the tree of cases. */
  get opensCases(): boolean {
    return this.decided.some(({ opened }) => opened.some(({ topic }) => topic === CASES_TOPIC));
  }

  /** A generation is opened in the entry that covers its decision. */
  private get hasReadDecisions(): boolean {
    const next = this.trees.get(headName(DECISIONS))?.next ?? 0;
    return this.decided.every(({ offset }) => offset < next);
  }

  private provenDecisions(settings: TreeHead): Promise<WireDecision[]> {
    const subtrees = subtreesOf((level, index) => this.evidence.tiles.read(headName(settings), level, index));
    const proven = async ({ offset, event_id }: OpeningDecision): Promise<WireDecision> => {
      const [record] = await this.log.read(DECISIONS.topic, DECISIONS.partition, offset, 1);
      if (!record) throw new Error(`decision ${event_id} is no longer on the log`);
      return wireDecision(record, await inclusionProof(subtrees, leafIndex(settings, offset), settings.size));
    };
    return Promise.all(this.decided.map(proven));
  }

  /** Resolves when every record that is on the log now has been read. */
  async caughtUp(): Promise<void> {
    await this.running?.caughtUp();
  }

  async close(): Promise<void> {
    await this.running?.close();
    await this.cases?.close();
  }
}

const counted = (topic: string, records: number): number => (topic === CASES_TOPIC ? Math.min(1, records) : records);
