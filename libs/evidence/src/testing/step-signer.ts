import type { EventLog } from '@countersign/event-log';
import { headName, leafIndex, type TreeHead } from '@countersign/proofs';
import { CheckpointSigner, type SignerParts } from '../checkpoints/signer.js';
import type { DroppedLeaves } from '../drops/dropped-leaves.js';
import { leavesBelow } from '../drops/keep-leaves.js';
import { CoveredTree } from '../trees/covered-tree.js';
import { treeName } from '../trees/tiles.js';

const PAGE_RECORDS = 500;

/** The dependencies of a signer in a test. */
export interface SigningParts extends SignerParts {
  log: EventLog;
  dropped?: DroppedLeaves;
}

/** Signs the records of some topics, step by step, as the projector does. */
export class StepSigner {
  private readonly trees = new Map<string, CoveredTree>();

  private constructor(
    private readonly parts: SigningParts,
    private readonly topics: readonly string[],
    private readonly signer: CheckpointSigner,
  ) {}

  /** @throws BrokenRecord */
  static async open(parts: SigningParts, topics: readonly string[]): Promise<StepSigner> {
    const { signer, torn } = await CheckpointSigner.resume(parts);
    const opened = new StepSigner(parts, topics, signer);
    for (const head of signer.growing)
      opened.trees.set(treeName(head.topic, head.partition), await opened.resume(head, torn.get(headName(head))));
    return opened;
  }

  private async resume(head: TreeHead, torn: readonly TreeHead[] | undefined): Promise<CoveredTree> {
    const { log, tiles, dropped } = this.parts;
    const dropped_leaves = leafIndex(head, await log.first(head.topic, head.partition));
    if (!dropped || dropped_leaves <= 0) return CoveredTree.resume(head, tiles, torn);
    return CoveredTree.resume(head, tiles, torn, () => leavesBelow((index) => dropped.read(headName(head), index), dropped_leaves));
  }

  /** @throws BrokenRecord */
  async sign(time_ms: number): Promise<'kept' | 'taken' | 'nothing_new'> {
    for (const topic of this.topics)
      for (let partition = 0; partition < this.parts.log.partitions(topic); partition++) await this.readOn(topic, partition);
    const moved = await Promise.all([...this.trees.values()].map(async (tree) => ({ tree, move: await tree.move() })));
    const moves = moved.flatMap(({ move }) => (move ? [move] : []));
    if (moves.length === 0) return 'nothing_new';
    const signed = await this.signer.sign(moves, time_ms);
    if (signed === 'kept') for (const { tree, move } of moved) if (move) tree.signedNow();
    return signed;
  }

  private async readOn(topic: string, partition: number): Promise<void> {
    const name = treeName(topic, partition);
    const tree = this.trees.get(name) ?? CoveredTree.empty(topic, partition);
    const { log, tiles } = this.parts;
    for (const head = await log.head(topic, partition); tree.next < head; )
      tree.take(await log.read(topic, partition, tree.next, PAGE_RECORDS));
    if (tree.next > 0) this.trees.set(name, tree);
    await tree.write(tiles);
  }
}
