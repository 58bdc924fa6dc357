import { EMPTY_ROOT, nodeHash } from './hashing.js';

/**
 * The state that a tree needs to grow: the roots of the complete subtrees that make up its size, largest first. Two trees with the same
 * root and size have the same frontier, so appending to it extends exactly that tree.
 */
export class Frontier {
  private constructor(
    private leaves: number,
    private peaks: readonly Buffer[],
  ) {}

  static empty(): Frontier {
    return new Frontier(0, []);
  }

  /**
   * The frontier before leaf `index`, from the audit path of this leaf while it is the last; undefined if the path has the wrong length.
   */
  static beforeLast(index: number, path: readonly Buffer[]): Frontier | undefined {
    return path.length === ones(index) ? new Frontier(index, [...path].reverse()) : undefined;
  }

  get size(): number {
    return this.leaves;
  }

  copy(): Frontier {
    return new Frontier(this.leaves, this.peaks);
  }

  append(leaf: Buffer): void {
    const peaks = [...this.peaks];
    let node = leaf;
    for (let size = this.leaves; size % 2 === 1; size = Math.floor(size / 2)) node = nodeHash(peaks.pop() as Buffer, node);
    this.peaks = [...peaks, node];
    this.leaves += 1;
  }

  /** The audit path that the next leaf will have while it is the last: lowest first (RFC 9162 section 2.1.3.1). */
  pathOfNext(): Buffer[] {
    return [...this.peaks].reverse();
  }

  root(): Buffer {
    return this.peaks.reduceRight<Buffer | undefined>((right, peak) => (right ? nodeHash(peak, right) : peak), undefined) ?? EMPTY_ROOT;
  }
}

/** The number of set bits in a size: the number of its complete subtrees. */
function ones(size: number): number {
  let count = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2;
  return count;
}
