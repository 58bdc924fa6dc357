/**
 * Serializes the configuration changes of a tenant within one gateway, so that none is refused because of another. Holds one entry for
 * each tenant with a change in progress. Between gateways the log decides (configuration-edits.ts).
 */
export class TenantTurns {
  private readonly last = new Map<string, Promise<void>>();

  /** Number of tenants with a change in progress. */
  get size(): number {
    return this.last.size;
  }

  /** Runs a change after the earlier ones have ended, also if they failed. Rejects if the change rejects. */
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
