import { EMPTY_ROOT, nodeHash } from './hashing.js';

/**
 * What a tree needs of its past to grow: the roots of the complete subtrees that its size is made of, largest first.
 * Two trees with one root and one size have one frontier, so whatever is appended to it extends that tree and no other.
 */
export class Frontier {
  private constructor(
    private leaves: number,
    private peaks: readonly Buffer[],
  ) {}

  static empty(): Frontier {
    return new Frontier(0, []);
  }

  /** The frontier before leaf `index`, from the audit path that this leaf has while it is the last; undefined where the path cannot be one. */
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

  /** The audit path of the next leaf, while it is the last: lowest first (RFC 9162 section 2.1.3.1). */
  pathOfNext(): Buffer[] {
    return [...this.peaks].reverse();
  }

  root(): Buffer {
    return this.peaks.reduceRight<Buffer | undefined>((right, peak) => (right ? nodeHash(peak, right) : peak), undefined) ?? EMPTY_ROOT;
  }
}

/** The bits of a size that are set: as many complete subtrees it is made of. */
function ones(size: number): number {
  let count = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2;
  return count;
}
