import { setTimeout as sleep } from 'node:timers/promises';
import type { Compensates, Reconciled, Verified } from '@countersign/tool-kit';
import type { ProcessIdentity } from '../process-identity.js';
import type { Ask, Implausible, Runtime, RuntimePack, ToolJob } from '../runtime.js';
import { messageOf } from '../thrown-error.js';
import { notBegun } from './not-begun.js';
import { type ChildLimits, PackChild } from './pack-child.js';

export interface ChildRuntimeOptions extends ChildLimits {
  /** Children at once, one for each tenant. */
  readonly children_max: number;
  /** How long an idle child is kept. */
  readonly idle_ms: number;
}

const WATCH_MS = 100;
/** Pause before the next start after a child failed to start. */
const START_PAUSE_MS = 1000;

export const childDefaults: ChildRuntimeOptions = {
  program: new URL('./child-main.js', import.meta.url),
  environment: {},
  memory_mb: 1024,
  children_max: 16,
  idle_ms: 60_000,
  start_ms: 10_000,
  blocked_ms: 2_000,
};

/**
 * Runs the tools of one pack in child processes, one for each tenant: started on demand, ended when idle. A fault boundary: a tool that
 * damages its process affects only the calls of that process. Not a security boundary: it runs as the same user.
 */
export class ChildRuntime implements Runtime {
  private readonly children = new Map<string, PackChild>();
  private readonly options: ChildRuntimeOptions;
  private predicates: ReadonlyMap<string, readonly Omit<Implausible, 'path' | 'message'>[]> = new Map();
  private timer: NodeJS.Timeout | undefined;
  private not_before_ms = 0;
  private fault: string | undefined;
  private is_retired = false;

  /** @param module URL of the module that exports the pack */
  constructor(
    private readonly module: string,
    options: Partial<ChildRuntimeOptions> = {},
  ) {
    this.options = { ...childDefaults, ...options };
  }

  /** Why the pack cannot be used, according to the last observation. */
  get unhealthy(): string | undefined {
    return this.fault;
  }

  async load(): Promise<RuntimePack> {
    const child = new PackChild(this.module, this.options);
    try {
      const pack = await child.loaded;
      this.fault = undefined;
      this.predicates = new Map(
        pack.tools.map(({ contract: { name, version, sanity = [] } }) => [
          `${name}@${version}`,
          sanity.map((one) => ({ predicate: one.name, severity: one.severity })),
        ]),
      );
      return pack;
    } catch (cause) {
      this.fault = messageOf(cause);
      throw cause;
    } finally {
      await child.close('its tools were listed');
    }
  }

  /** The process that will run the next call of this tenant. @throws ToolError if there is none */
  async place(tenant_id: string): Promise<ProcessIdentity> {
    const child = this.childOf(tenant_id);
    child.used_at_ms = performance.now();
    await child.loaded.catch((cause) => Promise.reject(notBegun(messageOf(cause))));
    return child.identity;
  }

  run(job: ToolJob): Promise<unknown> {
    return this.ask('run', job);
  }

  compensate(job: ToolJob, compensates: Compensates): Promise<unknown> {
    return this.ask('compensate', { ...job, input: undefined }, compensates);
  }

  reconcile(job: ToolJob): Promise<Reconciled<unknown>> {
    return this.ask('reconcile', job) as Promise<Reconciled<unknown>>;
  }

  verify(job: ToolJob, output: unknown): Promise<Verified> {
    return this.ask('verify', job, output) as Promise<Verified>;
  }

  async sourceVersion(job: ToolJob): Promise<string> {
    const version = await this.ask('sourceVersion', job);
    if (typeof version !== 'string') throw new Error('sourceVersion must return text');
    return version;
  }

  async changedNothing(job: ToolJob, output: unknown): Promise<boolean> {
    return (await this.ask('changedNothing', job, output).catch(() => false)) === true;
  }

  async sanity(job: ToolJob, output: unknown): Promise<Implausible[]> {
    return this.ask('sanity', job, output).catch((cause) => {
      const message = (predicate: string) => `${predicate} could not be checked: ${messageOf(cause).slice(0, 200)}`;
      return (this.predicates.get(job.tool) ?? []).map((one) => ({ ...one, path: '', message: message(one.predicate) }));
    }) as Promise<Implausible[]>;
  }

  async retire(): Promise<void> {
    this.is_retired = true;
    while ([...this.children.values()].some((child) => child.fault === undefined && !child.idle))
      await sleep(WATCH_MS, undefined, { ref: false });
    await this.close();
  }

  async close(): Promise<void> {
    this.is_retired = true;
    clearInterval(this.timer);
    await Promise.all([...this.children.values()].map((child) => child.close('the executor is stopping')));
  }

  /** @param about the output to verify, or the effect to compensate */
  private async ask(ask: Ask | 'run', job: ToolJob, about?: unknown): Promise<unknown> {
    const child = this.childOf(job.context.tenant_id);
    const { place } = job;
    if (place !== undefined && (place?.pid !== child.identity.pid || place.started !== child.identity.started))
      throw notBegun('the child process that was to run it has ended');
    try {
      return await child.ask(ask, job, about);
    } finally {
      if (child.fault === undefined) this.fault = undefined;
    }
  }

  private childOf(tenant_id: string): PackChild {
    const known = this.children.get(tenant_id);
    if (known && known.fault === undefined) return known;
    if (this.is_retired) throw notBegun('its pack was closed or replaced');
    if (performance.now() < this.not_before_ms) throw notBegun(this.fault ?? 'a child process failed a moment ago');
    if (this.children.size >= this.options.children_max && !this.closeIdlest()) throw notBegun('all child processes are busy');
    const child = new PackChild(this.module, this.options);
    this.children.set(tenant_id, child);
    child.loaded.catch((cause) => {
      this.fault = messageOf(cause);
      this.not_before_ms = performance.now() + START_PAUSE_MS;
    });
    void child.ended.then(() => this.forget(tenant_id, child));
    this.timer ??= setInterval(() => this.watch(), WATCH_MS).unref();
    return child;
  }

  private forget(tenant_id: string, child: PackChild): void {
    if (child.garbled) this.fault = child.fault;
    if (this.children.get(tenant_id) === child) this.children.delete(tenant_id);
  }

  private watch(): void {
    const idle_since_ms = performance.now() - this.options.idle_ms;
    for (const child of this.children.values()) {
      child.watchMemory();
      if (child.fault === undefined && child.idle && child.used_at_ms < idle_since_ms) void child.close('it was idle');
    }
  }

  /** Ends an idle child to make room for another. */
  private closeIdlest(): boolean {
    const idle = [...this.children].filter(([, child]) => child.idle).sort(([, a], [, b]) => a.used_at_ms - b.used_at_ms);
    const [first] = idle;
    if (!first) return false;
    const [tenant_id, child] = first;
    this.children.delete(tenant_id);
    void child.close('another tenant needed the slot');
    return true;
  }
}
