import type { McpSession } from './mcp-session.js';
import { notHandedOver } from './upstream-fault.js';

/** Whose session it is. `owner`: the user, the credentials of a process and whatever else must not be shared. */
export interface SessionKey {
  readonly tenant_id: string;
  readonly upstream: string;
  readonly revision: number;
  readonly owner: string;
}

export interface TableLimits {
  /** Sessions of one tenant, and of all. */
  readonly per_tenant_max: number;
  readonly all_max: number;
  readonly idle_ms: number;
}

interface Entry {
  readonly key: SessionKey;
  readonly opening: Promise<McpSession>;
  session?: McpSession;
}

const WATCH_MS = 1_000;
/** Pause before a session is opened again after that failed. */
const AGAIN_MS = 1_000;
const FAILED_MAX = 1_000;

const textOf = ({ tenant_id, upstream, revision, owner }: SessionKey): string => JSON.stringify([tenant_id, upstream, revision, owner]);

/** The open sessions: each opened once, reused, closed when idle; bounded for each tenant, so that none takes the place of others. */
export class SessionTable {
  private readonly entries = new Map<string, Entry>();
  /** No longer handed out; closed as soon as their calls have ended. */
  private readonly retiring = new Map<McpSession, string>();
  private readonly failed = new Map<string, { until_ms: number; cause: unknown }>();
  private timer: NodeJS.Timeout | undefined;
  private is_closed = false;

  constructor(private readonly limits: TableLimits) {}

  /** @throws what `open` throws, or ToolError (effect `none`) if there is no room */
  async get(key: SessionKey, open: () => Promise<McpSession>): Promise<McpSession> {
    if (this.is_closed) throw notHandedOver('the executor is stopping');
    const text = textOf(key);
    const known = this.entries.get(text);
    if (known && !known.session?.is_closed) return known.opening;
    const failed = this.failed.get(text);
    if (failed && failed.until_ms > performance.now()) throw failed.cause;
    this.freeSlot(key.tenant_id);
    const entry: Entry = { key, opening: open() };
    this.entries.set(text, entry);
    this.timer ??= setInterval(() => this.closeIdle(), WATCH_MS).unref();
    return this.opened(text, entry);
  }

  /** Its session is of no further use. */
  drop(session: McpSession): void {
    for (const [text, entry] of this.entries) if (entry.session === session) this.retire(text, entry);
  }

  release(tenant_id: string, upstream: string, below_revision: number): void {
    for (const [text, entry] of this.entries) {
      const { key } = entry;
      if (key.tenant_id === tenant_id && key.upstream === upstream && key.revision < below_revision) this.retire(text, entry);
    }
  }

  async close(): Promise<void> {
    this.is_closed = true;
    clearInterval(this.timer);
    const opening = await Promise.allSettled([...this.entries.values()].map((entry) => entry.opening));
    const opened = opening.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    await Promise.all([...opened, ...this.retiring.keys()].map((session) => session.close()));
  }

  private async opened(text: string, entry: Entry): Promise<McpSession> {
    try {
      entry.session = await entry.opening;
      this.failed.delete(text);
      return entry.session;
    } catch (cause) {
      if (this.entries.get(text) === entry) this.entries.delete(text);
      if (this.failed.size >= FAILED_MAX) this.failed.clear();
      this.failed.set(text, { until_ms: performance.now() + AGAIN_MS, cause });
      throw cause;
    }
  }

  /** One that is being opened is closed once it is. */
  private retire(text: string, { key, session, opening }: Entry): void {
    this.entries.delete(text);
    if (!session) void opening.then((opened) => this.retiring.set(opened, key.tenant_id)).catch(() => undefined);
    else if (session.idle) void session.close();
    else this.retiring.set(session, key.tenant_id);
  }

  private freeSlot(tenant_id: string): void {
    for (const [text, entry] of this.entries) if (entry.session?.is_closed) this.entries.delete(text);
    const own = [...this.entries].filter(([, { key }]) => key.tenant_id === tenant_id);
    const retiring = [...this.retiring.values()];
    const own_retiring = retiring.filter((one) => one === tenant_id).length;
    if (own.length + own_retiring >= this.limits.per_tenant_max && !this.closeIdlest(own))
      throw notHandedOver('all sessions of this tenant with upstreams are busy');
    if (this.entries.size + retiring.length >= this.limits.all_max && !this.closeIdlest([...this.entries]))
      throw notHandedOver('all sessions with upstreams are busy');
  }

  private closeIdlest(among: readonly [string, Entry][]): boolean {
    const idle = among.filter(([, { session }]) => session?.idle);
    const [first] = idle.sort(([, a], [, b]) => (a.session?.used_at_ms ?? 0) - (b.session?.used_at_ms ?? 0));
    if (!first) return false;
    this.retire(...first);
    return true;
  }

  private closeIdle(): void {
    const since_ms = performance.now() - this.limits.idle_ms;
    for (const [text, entry] of this.entries) if (entry.session?.idle && entry.session.used_at_ms < since_ms) this.retire(text, entry);
    for (const session of this.retiring.keys()) {
      if (!session.idle) continue;
      this.retiring.delete(session);
      void session.close();
    }
  }
}
