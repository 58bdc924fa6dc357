import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { EventLog } from '@countersign/event-log';
import {
  BrokenRecord,
  BrokenTrees,
  CoveredTree,
  leavesBelow,
  type OpeningDecision,
  type PendingOpening,
  pendingOpenings,
  TreeRehash,
} from '@countersign/evidence';
import type { Evidence } from '@countersign/process';
import { baseOf, endOf, generationNumber, headName, leafIndex, type TreeHead } from '@countersign/proofs';

/** The growing trees, resumed where they were signed, and the decisions that opened some of them just now. */
export interface TakenUp {
  trees: readonly CoveredTree[];
  decided: readonly OpeningDecision[];
}

/**
 * Resumes the trees of a log at the last checkpoint. A tree that the log does not continue is opened as a new generation if a decision
 * allows it. A log that was restored meanwhile continues its tree, whatever was decided.
 */
export class ContinuedTrees {
  constructor(
    private readonly log: EventLog,
    private readonly evidence: Evidence,
    private readonly decisions: readonly OpeningDecision[],
  ) {}

  /** `torn`: heads that a tree must pass through while it is hashed again. @throws BrokenTrees: all trees that cannot be continued */
  async takeUp(growing: readonly TreeHead[], torn: ReadonlyMap<string, readonly TreeHead[]>): Promise<TakenUp> {
    const pending = pendingOpenings(this.decisions, growing);
    const trees: CoveredTree[] = [];
    const decided = new Set<OpeningDecision>();
    const broken: BrokenRecord[] = [];
    for (const head of growing) {
      const name = headName(head);
      const opening = pending.get(name);
      try {
        const isOpened = opening !== undefined && !(await this.isRestored(head));
        trees.push(isOpened ? await this.open(opening) : await this.resume(head, torn.get(name)));
        if (isOpened) decided.add(opening.decision);
      } catch (cause) {
        if (!(cause instanceof BrokenRecord)) throw cause;
        broken.push(cause);
      }
    }
    if (broken.length > 0) throw new BrokenTrees(broken);
    return { trees, decided: [...decided] };
  }

  private async resume(head: TreeHead, torn: readonly TreeHead[] | undefined): Promise<CoveredTree> {
    const end = await this.log.head(head.topic, head.partition);
    if (end < endOf(head)) throw brokenFrom(head, end, `ends at offset ${end}, but is signed up to offset ${endOf(head)}`);
    const { tiles, dropped } = this.evidence;
    const first = await this.log.first(head.topic, head.partition);
    const dropped_below = leafIndex(head, first);
    if (dropped_below <= 0 || !dropped) return CoveredTree.resume(head, tiles, torn);
    const kept = () => leavesBelow((index) => dropped.read(headName(head), index), dropped_below);
    return CoveredTree.resume(head, tiles, torn, kept).catch((cause) => {
      // The leaf hashes of deleted records, and their tiles, are lost or differ.
      if (cause instanceof BrokenRecord && !cause.place) throw brokenFrom(head, baseOf(head), cause.message);
      throw cause;
    });
  }

  private async open({ decision, tree }: PendingOpening): Promise<CoveredTree> {
    const { topic, partition, generation: number, base_offset } = tree;
    const end = await this.log.head(topic, partition);
    if (end < base_offset) {
      const place = { topic, partition, first_offset: end, last_offset: base_offset - 1, generation: number - 1 };
      throw new BrokenRecord(
        `${topic}/${partition} ends at offset ${end}, before offset ${base_offset} from which its next generation continues`,
        place,
      );
    }
    return CoveredTree.opened({ topic, partition }, { number, base_offset, decision: decision.event_id });
  }

  /** True if the log matches the signed head after all. */
  private async isRestored(head: TreeHead): Promise<boolean> {
    const hashing = new TreeRehash({ log: this.log, tiles: this.evidence.tiles, dropped: this.evidence.dropped }).run(head);
    for (;;) {
      const { done, value: wrong } = await hashing.next();
      if (done) return wrong.length === 0;
      await yieldToOthers();
    }
  }
}

function brokenFrom(head: TreeHead, first_offset: number, what: string): BrokenRecord {
  const { topic, partition } = head;
  const last_offset = endOf(head) - 1;
  return new BrokenRecord(`${headName(head)} ${what}`, { topic, partition, first_offset, last_offset, generation: generationNumber(head) });
}
