import type { EventLog, LogBatch, RunningSubscription } from '@countersign/event-log';
import { CheckpointSigner, CoveredTree, type OpeningDecision, treeName, wireDecision } from '@countersign/evidence';
import type { Evidence } from '@countersign/process';
import { DECISIONS, headName, inclusionProof, leafIndex, subtreesOf, type TreeHead, type WireDecision } from '@countersign/proofs';
import { ContinuedTrees, type TakenUp } from './continued-trees.js';

/** What one signing came to. `behind`: what must be read of the log before anything is signed is not read yet. */
export type Signed = 'kept' | 'taken' | 'nothing_new' | 'behind';

/** A checkpoint covers a second. */
const MAX_DELAY_MS = 100;

/** Every partition of the log as a tree: hashes what becomes durable, writes tiles, and signs what they add up to. */
export class CoveredLog {
  /** The tree that grows, by partition. */
  private readonly trees: Map<string, CoveredTree>;
  private decided: readonly OpeningDecision[];
  private running: RunningSubscription | undefined;
  private fault: Error | undefined;

  private constructor(
    private readonly log: EventLog,
    private readonly evidence: Evidence,
    private readonly signer: CheckpointSigner,
    { trees, decided }: TakenUp,
  ) {
    this.trees = new Map(trees.map((tree) => [treeName(tree.topic, tree.partition), tree]));
    this.decided = decided;
  }

  /**
   * Takes up what was signed. `decisions` let trees go on as another generation. @throws BrokenRecord where the log is shorter than a
   * checkpoint says, or a checkpoint does not continue the one before.
   */
  static async open(log: EventLog, evidence: Evidence, decisions: readonly OpeningDecision[] = []): Promise<CoveredLog> {
    const { signer, torn } = await CheckpointSigner.resume(evidence);
    const taken = await new ContinuedTrees(log, evidence, decisions).takeUp(signer.growing, torn);
    return new CoveredLog(log, evidence, signer, taken);
  }

  /** Offsets that were taken so far, of all partitions together. */
  get size(): number {
    return [...this.trees.values()].reduce((sum, { next }) => sum + next, 0);
  }

  /** Follows these topics; `grown` is called with how many records were added. */
  async follow(topics: readonly string[], grown: (count: number) => Promise<void>): Promise<void> {
    const from = [...this.trees.values()].map(({ topic, partition, next }) => ({ topic, partition, offset: next }));
    this.running = await this.log.follow({
      topics,
      visibility: 'durable',
      batch_records_max: 500,
      max_delay_ms: MAX_DELAY_MS,
      from,
      onBatch: (batch) => grown(this.take(batch)),
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
      return tree.take(records);
    } catch (cause) {
      // A record is missing. The next signing says so: whoever follows a log would have it read again for ever.
      this.fault ??= cause as Error;
      return records.length;
    }
  }

  /** Signs what there is, if anything is new. @throws BrokenRecord */
  async sign(time_ms: number): Promise<Signed> {
    if (this.fault) throw this.fault;
    if (!this.hasReadDecisions) return 'behind';
    const trees = [...this.trees.values()];
    await Promise.all(trees.map((tree) => tree.write(this.evidence.tiles)));
    if (trees.some((tree) => tree.isBehind)) return 'behind';
    const moved = await Promise.all(trees.map(async (tree) => ({ tree, move: await tree.move() })));
    const moves = moved.flatMap(({ move }) => (move ? [move] : []));
    if (moves.length === 0) return 'nothing_new';
    const settings = moves.find(({ head }) => treeName(head.topic, head.partition) === headName(DECISIONS));
    const signed = await this.signer.sign(moves, time_ms, settings ? await this.provenDecisions(settings.head) : []);
    if (signed !== 'kept') return signed;
    for (const { tree, move } of moved) if (move) tree.signedNow();
    this.decided = [];
    return signed;
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

  async close(): Promise<void> {
    await this.running?.close();
  }
}
