/**
 * Lets the changes of a tenant's configuration go one after another, so that what a change was checked against (`If-Match`,
 * the next version) is still so when it is written. Holds one entry for each tenant that has a change under way. Several
 * gateways do not know of each other's turns: there the check is each gateway's own, and the later of two changes wins.
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
