/**
 * Lets the changes of a tenant's configuration go one after another, so that within one gateway none is refused for another.
 * Holds one entry for each tenant that has a change under way. Between gateways the log decides (configuration-edits.ts).
 */
export class TenantTurns {
  private readonly last = new Map<string, Promise<void>>();

  /** Tenants with a change under way. */
  get size(): number {
    return this.last.size;
  }

  /** Runs a change when those before it have ended, well or not. Rejects as the change does. */
  take<T>(tenant_id: string, change: () => T | Promise<T>): Promise<T> {
    const before = this.last.get(tenant_id) ?? Promise.resolve();
    const turn = before.then(change);
    const leave = (): void => this.leave(tenant_id, over);
    const over: Promise<void> = turn.then(leave, leave);
    this.last.set(tenant_id, over);
    return turn;
  }

  private leave(tenant_id: string, over: Promise<void>): void {
    if (this.last.get(tenant_id) === over) this.last.delete(tenant_id);
  }
}
