import type { Logger } from '@countersign/process';
import { messageOf } from '@countersign/runtimes';
import { type HostedPack, refusedPack } from './hosted-packs.js';
import type { LoadedTool } from './loaded-tool.js';
import { packStamp } from './pack-stamp.js';
import type { ToolTable } from './tool-table.js';

/** How new code of a pack is taken. */
export interface PackLoading {
  /** Loads it, and checks it beside the other packs. Never rejects. */
  load(place: string, beside: readonly HostedPack[]): Promise<HostedPack>;
  /** @throws if a contract cannot be used */
  toolsOf(pack: HostedPack): ReadonlyMap<string, LoadedTool>;
  announce(tools: Iterable<LoadedTool>): Promise<unknown>;
}

interface Stamped {
  loaded: string | undefined;
  newest: string | undefined;
}

/**
 * Takes new code of external packs while the executor runs. Code counts once it has not changed for one look, so that a folder that is being
 * written is not loaded. Code that cannot be used is named; the tools that were loaded before keep running.
 */
export class PackReloader {
  private readonly stamps = new Map<string, Stamped>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  /** @param hosted the packs of the executor; entries of external packs are replaced in place */
  constructor(
    private readonly hosted: HostedPack[],
    private readonly table: ToolTable,
    private readonly loading: PackLoading,
    private readonly logger: Pick<Logger, 'info' | 'error'>,
  ) {}

  /** @param every_ms time between two looks at the files; 0: never */
  start(every_ms: number): void {
    if (every_ms === 0 || this.hosted.every(({ place }) => place === undefined)) return;
    this.timer = setInterval(() => this.lookOnce(), every_ms);
    this.timer.unref();
    this.lookOnce();
  }

  private lookOnce(): void {
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
    });
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    for (const [at, { place }] of this.hosted.entries()) {
      if (place === undefined) continue;
      const stamp = await packStamp(place);
      const known = this.stamps.get(place) ?? { loaded: stamp, newest: stamp };
      const is_new = stamp !== undefined && stamp === known.newest && stamp !== known.loaded;
      this.stamps.set(place, { loaded: is_new ? stamp : known.loaded, newest: stamp });
      if (is_new) await this.reload(at, place);
    }
  }

  private async reload(at: number, place: string): Promise<void> {
    const before = this.hosted[at] as HostedPack;
    const next = await this.checked(before, place);
    const fields = { pack: next.pack.name, version: next.pack.version, fault: next.fault };
    if (next.fault !== undefined) {
      await next.runtime.close();
      this.hosted[at] = { ...before, fault: `its new code cannot be used: ${next.fault}` };
      this.logger.error({ event: 'pack_not_reloaded', ...fields }, 'the new code of a custom pack cannot be used');
      return;
    }
    const tools = this.loading.toolsOf(next);
    this.table.replace(before.pack.tools, tools);
    this.hosted[at] = next;
    this.logger.info({ event: 'pack_reloaded', ...fields }, 'the new code of a custom pack is used');
    void before.runtime.retire?.();
    await this.loading.announce(tools.values()).catch((cause) => {
      this.logger.error({ event: 'pack_not_announced', ...fields, fault: messageOf(cause) }, 'the tools of a pack could not be announced');
      // A later look takes it as new again.
      this.stamps.set(place, { loaded: undefined, newest: undefined });
    });
  }

  private async checked(before: HostedPack, place: string): Promise<HostedPack> {
    const beside = this.hosted.filter((each) => each !== before);
    const next = await this.loading.load(place, beside);
    const same = JSON.stringify(next.pack.folders ?? []) === JSON.stringify(before.pack.folders ?? []);
    return same || next.fault !== undefined ? next : refusedPack(next, 'its folder settings changed: restart the executor');
  }
}
