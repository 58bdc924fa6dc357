/** Sums by key, each with the same maximum. A key with the sum zero uses no memory. */
export class BoundedCounts {
  private readonly sums = new Map<string, number>();

  constructor(readonly max: number) {}

  /** @returns false, and adds nothing, if the sum would exceed the maximum. */
  add(key: string, amount: number): boolean {
    const sum = (this.sums.get(key) ?? 0) + amount;
    if (sum > this.max) return false;
    if (sum > 0) this.sums.set(key, sum);
    return true;
  }

  /** Subtracts an amount that was added. */
  remove(key: string, amount: number): void {
    const sum = (this.sums.get(key) ?? 0) - amount;
    if (sum > 0) this.sums.set(key, sum);
    else this.sums.delete(key);
  }

  of(key: string): number {
    return this.sums.get(key) ?? 0;
  }

  get keys(): number {
    return this.sums.size;
  }
}
