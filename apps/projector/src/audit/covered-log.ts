import type { EventLog, LogBatch, RunningSubscription } from '@countersign/event-log';
import { BrokenRecord, CheckpointSigner, CoveredTree, leavesBelow, treeName } from '@countersign/evidence';
import type { Evidence } from '@countersign/process';
import type { TreeHead } from '@countersign/proofs';

/** What one signing came to. `behind`: lost tiles are hashed anew, and nothing is signed before that is done. */
export type Signed = 'kept' | 'taken' | 'nothing_new' | 'behind';

/** A checkpoint covers a second. */
const PATIENCE_MS = 100;

/** Every partition of the log as a tree: hashes what becomes durable, writes tiles, and signs what they add up to. */
export class CoveredLog {
  private readonly trees = new Map<string, CoveredTree>();
  private running: RunningSubscription | undefined;

  private constructor(
    private readonly log: EventLog,
    private readonly evidence: Evidence,
    private readonly signer: CheckpointSigner,
  ) {}

  /** Takes up what was signed. @throws BrokenRecord where the log is shorter than a checkpoint says, or a checkpoint does not continue the one before. */
  static async open(log: EventLog, evidence: Evidence): Promise<CoveredLog> {
    const { signer, torn } = await CheckpointSigner.resume(evidence);
    const covered = new CoveredLog(log, evidence, signer);
    for (const head of signer.signed) {
      const name = treeName(head.topic, head.partition);
      covered.trees.set(name, await covered.resume(head, torn.get(name)));
    }
    return covered;
  }

  private async resume(head: TreeHead, torn: readonly TreeHead[] | undefined): Promise<CoveredTree> {
    const end = await this.log.head(head.topic, head.partition);
    if (end < head.size) {
      const { topic, partition, size } = head;
      const place = { topic, partition, first_offset: end, last_offset: size - 1 };
      throw new BrokenRecord(`${treeName(topic, partition)} has ${end} records, of which ${size} were signed`, place);
    }
    const { tiles, dropped } = this.evidence;
    const first = await this.log.first(head.topic, head.partition);
    if (first === 0 || !dropped) return CoveredTree.resume(head, tiles, torn);
    const name = treeName(head.topic, head.partition);
    return CoveredTree.resume(head, tiles, torn, () => leavesBelow((index) => dropped.read(name, index), first));
  }

  /** Records that were taken so far. */
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
      patience_ms: PATIENCE_MS,
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
    return tree.take(records);
  }

  /** Signs what there is, if anything is new. @throws BrokenRecord */
  async sign(time_ms: number): Promise<Signed> {
    const trees = [...this.trees.values()];
    await Promise.all(trees.map((tree) => tree.write(this.evidence.tiles)));
    if (trees.some((tree) => tree.isBehind)) return 'behind';
    const moved = await Promise.all(trees.map(async (tree) => ({ tree, move: await tree.move() })));
    const moves = moved.flatMap(({ move }) => (move ? [move] : []));
    if (moves.length === 0) return 'nothing_new';
    const signed = await this.signer.sign(moves, time_ms);
    if (signed === 'kept') for (const { tree, move } of moved) if (move) tree.signedNow();
    return signed;
  }

  async close(): Promise<void> {
    await this.running?.close();
  }
}
