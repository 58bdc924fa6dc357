import { type RecordScan, treeName } from '@countersign/evidence';
import type { Logger } from '@countersign/process';
import type { TreeHead } from '@countersign/proofs';
import type { BackgroundPace } from './background-pace.js';

const PAGE_RECORDS = 500;

/** Compares whole trees with what was signed, a page at a time. */
export class LogPass {
  constructor(
    private readonly scan: RecordScan,
    private readonly pace: BackgroundPace,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  signed(): Promise<readonly TreeHead[]> {
    return this.scan.signed();
  }

  /** Yields how many records each page had; whoever takes no more ends it. */
  async *tree(head: TreeHead): AsyncGenerator<number> {
    let unproven = 0;
    for (let at = await this.scan.first(head); at < head.size && !this.pace.isStopped; ) {
      const scanned = await this.pace.run(() => this.scan.page(head, at, PAGE_RECORDS));
      unproven += scanned.unproven;
      yield scanned.next - at;
      at = scanned.next;
    }
    if (unproven === 0 || this.pace.isStopped) return;
    this.logger.warn(
      { event: 'records_unproven', tree: treeName(head.topic, head.partition), records: unproven },
      'tiles above these records are torn: the tree is hashed anew',
    );
    yield* this.rehash(head);
  }

  private async *rehash(head: TreeHead): AsyncGenerator<number> {
    const hashing = this.scan.rehash(head);
    while (!this.pace.isStopped && !(await this.pace.run(() => hashing.next())).done) yield 0;
  }
}
