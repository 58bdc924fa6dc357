import type { EventLog, LogBatch, RunningSubscription } from '@countersign/event-log';
import { BrokenRecord, CheckpointSigner, CoveredTree, treeName } from '@countersign/evidence';
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

  /** Takes up what was signed. @throws BrokenRecord where the log is shorter than a checkpoint says. */
  static async open(log: EventLog, evidence: Evidence): Promise<CoveredLog> {
    const signer = await CheckpointSigner.resume(evidence.checkpoints, evidence.tiles, evidence.signer);
    const covered = new CoveredLog(log, evidence, signer);
    for (const [name, head] of signer.signed) covered.trees.set(name, await covered.resume(head));
    return covered;
  }

  private async resume(head: TreeHead): Promise<CoveredTree> {
    const end = await this.log.head(head.topic, head.partition);
    if (end < head.size) throw new BrokenRecord(`${head.topic}/${head.partition} has ${end} records, of which ${head.size} were signed`);
    return CoveredTree.resume(head, this.evidence.tiles);
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
    const written = await Promise.all(
      [...this.trees.values()].map(async (tree) => ((await tree.write(this.evidence.tiles)) ? tree.head() : undefined)),
    );
    const grown = written.filter((head): head is TreeHead => head !== undefined);
    if ([...this.trees.values()].some((tree) => tree.isBehind)) return 'behind';
    return grown.length === 0 ? 'nothing_new' : this.signer.sign(grown, time_ms);
  }

  async close(): Promise<void> {
    await this.running?.close();
  }
}
