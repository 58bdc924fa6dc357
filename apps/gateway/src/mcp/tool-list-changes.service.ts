import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '@countersign/process';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CallableTools } from './callable-tools.service.js';
import { MCP_LOGGER } from './mcp-settings.js';
import { type Lister, ToolListing } from './tool-listing.service.js';

const CHECKED_EVERY_MS = 1_000;
/** Lists made in one turn of the event loop. */
const LISTS_PER_TURN = 5;

interface Watcher {
  lister(): Lister;
  notify(): void;
  digest: string;
}

/** Notifies clients with an open stream when the list of tools changes for them: registry, policy or their own rights. */
@Injectable()
export class ToolListChanges implements OnModuleDestroy {
  private readonly watchers = new Set<Watcher>();
  private timer: NodeJS.Timeout | undefined;
  private seen = '';
  private is_checking = false;

  constructor(
    private readonly listing: ToolListing,
    private readonly callable: CallableTools,
    @Inject(MCP_LOGGER) private readonly logger: Logger,
  ) {}

  /** `lister`: as its credential is now. @returns a function that ends this. */
  watch(lister: () => Lister, notify: () => void): () => void {
    const watcher = { lister, notify, digest: this.listing.digest(lister()) };
    this.watchers.add(watcher);
    if (!this.timer) {
      this.seen = this.callable.position;
      this.timer = setInterval(() => void this.check(), CHECKED_EVERY_MS).unref();
    }
    return () => {
      this.watchers.delete(watcher);
      if (this.watchers.size === 0) this.stop();
    };
  }

  onModuleDestroy(): void {
    this.stop();
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async check(): Promise<void> {
    const { position } = this.callable;
    if (this.is_checking || position === this.seen) return;
    this.is_checking = true;
    this.seen = position;
    let made = 0;
    for (const watcher of [...this.watchers]) {
      if (++made % LISTS_PER_TURN === 0) await nextTurn();
      if (this.watchers.has(watcher)) this.compare(watcher);
    }
    this.is_checking = false;
  }

  private compare(watcher: Watcher): void {
    try {
      const digest = this.listing.digest(watcher.lister());
      if (digest === watcher.digest) return;
      watcher.digest = digest;
      watcher.notify();
    } catch (err) {
      this.logger.warn({ event: 'mcp_tool_list_not_compared', err });
    }
  }
}
