/** Whose session it is. */
export interface SessionPlace {
  tenant_id: string;
  owner: string;
}

interface Entry<T> extends SessionPlace {
  session: T;
  used_ms: number;
}

export interface SessionLimits {
  all_max: number;
  tenant_max: number;
  idle_ms: number;
}

/** Sessions by id, least recently used first. Bounded for each tenant and in all; an idle session expires. */
export class SessionTable<T> {
  private readonly entries = new Map<string, Entry<T>>();
  private readonly tenants = new Map<string, number>();

  /** `end`: closes a session that made room, expired, or was open at the shutdown. */
  constructor(
    private readonly limits: SessionLimits,
    private readonly end: (session: T) => void,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  /** True if a session of this tenant would push out one of another. */
  isFull(tenant_id: string): boolean {
    return this.entries.size >= this.limits.all_max && !this.tenants.has(tenant_id);
  }

  /** Makes room within the tenant if it needs to: first among the sessions of the same owner. */
  add(id: string, { tenant_id, owner }: SessionPlace, session: T, now_ms: number): void {
    const count = this.tenants.get(tenant_id) ?? 0;
    if (count >= this.limits.tenant_max || this.entries.size >= this.limits.all_max) this.evict(tenant_id, owner);
    this.entries.set(id, { tenant_id, owner, session, used_ms: now_ms });
    this.tenants.set(tenant_id, (this.tenants.get(tenant_id) ?? 0) + 1);
  }

  /** The session, if it is this owner's. Counts as a use of it. */
  find(id: string, tenant_id: string, owner: string, now_ms: number): T | undefined {
    const entry = this.entries.get(id);
    if (!entry || entry.tenant_id !== tenant_id || entry.owner !== owner) return undefined;
    entry.used_ms = now_ms;
    this.entries.delete(id);
    this.entries.set(id, entry);
    return entry.session;
  }

  /** Removes a session that has ended by itself. */
  forget(id: string): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    this.entries.delete(id);
    const left = (this.tenants.get(entry.tenant_id) ?? 1) - 1;
    if (left > 0) this.tenants.set(entry.tenant_id, left);
    else this.tenants.delete(entry.tenant_id);
  }

  expire(now_ms: number): void {
    for (const [id, { used_ms }] of this.entries) {
      if (now_ms - used_ms < this.limits.idle_ms) return;
      this.remove(id);
    }
  }

  clear(): void {
    for (const id of [...this.entries.keys()]) this.remove(id);
  }

  private evict(tenant_id: string, owner: string): void {
    const own = [...this.entries].filter(([, entry]) => entry.tenant_id === tenant_id);
    const [id] = own.find(([, entry]) => entry.owner === owner) ?? own[0] ?? [];
    if (id !== undefined) this.remove(id);
  }

  private remove(id: string): void {
    const session = this.entries.get(id)?.session;
    this.forget(id);
    if (session !== undefined) this.end(session);
  }
}
