import type { RecordScan } from '@countersign/evidence';
import type { Logger } from '@countersign/process';
import { headName, type TreeSpan } from '@countersign/proofs';
import type { BackgroundPace } from './background-pace.js';

const PAGE_RECORDS = 500;

/** Compares whole trees with what was signed, page by page. */
export class LogPass {
  constructor(
    private readonly scan: RecordScan,
    private readonly pace: BackgroundPace,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  signed(): Promise<readonly TreeSpan[]> {
    return this.scan.signed();
  }

  /** Yields the number of records of each page; the consumer may stop at any page. */
  async *tree(span: TreeSpan): AsyncGenerator<number> {
    let unproven = 0;
    for (let at = await this.scan.first(span); at < span.end && !this.pace.isStopped; ) {
      const scanned = await this.pace.run(() => this.scan.page(span, at, PAGE_RECORDS));
      unproven += scanned.unproven;
      yield scanned.next - at;
      at = scanned.next;
    }
    if (unproven === 0 || this.pace.isStopped) return;
    this.logger.warn(
      { event: 'records_unproven', tree: headName(span.head), records: unproven },
      'the hash tiles over these records are inconsistent: rehashing the tree',
    );
    yield* this.rehash(span);
  }

  private async *rehash(span: TreeSpan): AsyncGenerator<number> {
    const hashing = this.scan.rehash(span);
    while (!this.pace.isStopped && !(await this.pace.run(() => hashing.next())).done) yield 0;
  }
}
