import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { type ConfigurationState, tenantOf } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import { messageOf } from '@countersign/runtimes';
import type { Announcement, FoldedCatalog } from '../announcer.js';
import type { LoadedTool } from '../tool-runs/loaded-tool.js';
import type { TenantToolSource } from './tenant-tools.js';

const AGAIN_MS = 1_000;
/** Tools that are announced at once: each time waits for the disk. */
const BATCH_MAX = 8;
/** Tools that are made ready at once: each takes about a millisecond of the thread that runs calls. */
const AT_ONCE_MAX = 4;

/** The folded configuration. */
interface Folded extends FoldedCatalog {
  readonly state: ConfigurationState;
  advanced(): Promise<void>;
}

/** Announces tools with the given announcement. */
type Announce = (tools: readonly LoadedTool[], announcement: Announcement) => Promise<number>;

/**
 * Announces the tools that single tenants of its lanes have: at its start, and as soon as a tenant registers one or an upstream lists one. No
 * restart is needed.
 */
export class TenantToolAnnouncer {
  /** By tenant: what its configuration was when its tools were announced. */
  private readonly announced = new Map<string, string>();
  private closed = false;

  constructor(
    private readonly configuration: Folded,
    private readonly tools: Pick<TenantToolSource, 'of'>,
    private readonly logger: Pick<Logger, 'warn'>,
    private readonly announce: Announce,
  ) {}

  /** @param announcement of this executor; `tenant_id` and `lanes` are set for each tenant */
  start(announcement: () => Announcement): void {
    void this.watch(announcement);
  }

  close(): void {
    this.closed = true;
  }

  private async watch(announcement: () => Announcement): Promise<void> {
    while (!this.closed) {
      const seen = this.position();
      const is_complete = await this.announceChanged(announcement());
      if (!is_complete) await sleep(AGAIN_MS, undefined, { ref: false });
      else if (this.position() === seen) await this.configuration.advanced();
    }
  }

  private position(): string {
    const { policy_offset, catalog_offset } = this.configuration.state;
    return `${policy_offset}/${catalog_offset}`;
  }

  /** Of the tenants whose configuration has changed. False: it is tried again. */
  private async announceChanged(announcement: Announcement): Promise<boolean> {
    let is_complete = true;
    for (const tenant_id of [...this.configuration.state.by_tenant.keys()]) {
      if (this.closed) return true;
      const seen = this.positionOf(tenant_id);
      if (this.announced.get(tenant_id) === seen) continue;
      const is_announced = await this.announceOf(tenant_id, announcement);
      if (is_announced) this.announced.set(tenant_id, seen);
      is_complete &&= is_announced;
    }
    return is_complete;
  }

  /** Grows with each change that a tool of the tenant may come from. */
  private positionOf(tenant_id: string): string {
    const { state } = this.configuration;
    const { policy_offset, catalog_offset } = state.by_tenant.get(tenant_id) ?? {};
    return `${policy_offset}/${catalog_offset}/${tenantOf(state, tenant_id)?.lane}`;
  }

  /** A tenant whose tools cannot be announced holds up no other tenant. */
  private async announceOf(tenant_id: string, announcement: Announcement): Promise<boolean> {
    const { state } = this.configuration;
    const lane = tenantOf(state, tenant_id)?.lane;
    if (lane === undefined || !announcement.lanes.includes(lane)) return true;
    try {
      for await (const batch of batches(this.tools.of(tenant_id)))
        await this.announce(batch, { ...announcement, tenant_id, lanes: [lane] });
      return true;
    } catch (cause) {
      const fields = { event: 'tenant_tools_not_announced', tenant_id, cause: messageOf(cause) };
      this.logger.warn(fields, 'the tools of a tenant could not be announced');
      return false;
    }
  }
}

async function* batches(tools: Iterable<LoadedTool>): AsyncGenerator<LoadedTool[], void> {
  let batch: LoadedTool[] = [];
  for (const tool of tools) {
    batch.push(tool);
    if (batch.length % AT_ONCE_MAX === 0) await turn();
    if (batch.length < BATCH_MAX) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
