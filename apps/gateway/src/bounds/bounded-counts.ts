/** Sums by key, none above a maximum. A key whose sum is zero takes no memory. */
export class BoundedCounts {
  private readonly sums = new Map<string, number>();

  constructor(readonly max: number) {}

  /** @returns false, and adds nothing, where the sum would be above the maximum. */
  add(key: string, amount: number): boolean {
    const sum = (this.sums.get(key) ?? 0) + amount;
    if (sum > this.max) return false;
    if (sum > 0) this.sums.set(key, sum);
    return true;
  }

  /** Takes back what was added. */
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
