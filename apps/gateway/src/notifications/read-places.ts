/** Progress of one partition: the lowest outstanding offset. All lower offsets may be committed. */
export class ReadPlace {
  private readonly outstanding = new Map<number, number>();
  private next = 0;

  /** Marks all lower offsets as read. @returns the offset below which nothing is outstanding. */
  readUpTo(offset: number): number {
    this.next = Math.max(this.next, offset);
    return this.settledBelow();
  }

  hold(offset: number): void {
    this.outstanding.set(offset, (this.outstanding.get(offset) ?? 0) + 1);
  }

  release(offset: number): number {
    const left = (this.outstanding.get(offset) ?? 1) - 1;
    if (left > 0) this.outstanding.set(offset, left);
    else this.outstanding.delete(offset);
    return this.settledBelow();
  }

  private settledBelow(): number {
    let lowest = this.next;
    for (const offset of this.outstanding.keys()) if (offset < lowest) lowest = offset;
    return lowest;
  }
}
