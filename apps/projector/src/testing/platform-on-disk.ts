import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EventCodec } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import { EmbeddedEventLog, type EventLog, type NewRecord } from '@countersign/event-log';
import { type AppDeps, createLogger, systemClock, topicSpecs } from '@countersign/process';
import { FolderBlobs, InProcessResults, PgliteStore, type Store, Vault, waitForPosition } from '@countersign/store';
import { Registry } from 'prom-client';

/** A log on disk and a database, for one test. */
export class PlatformOnDisk {
  private readonly codec = new EventCodec();

  private constructor(
    private readonly dir: string,
    readonly log: EmbeddedEventLog,
    readonly store: PgliteStore,
  ) {}

  static async open({ database = 'in memory' }: { database?: 'in memory' | 'on disk' } = {}): Promise<PlatformOnDisk> {
    const dir = await mkdtemp(path.join(tmpdir(), 'projector-'));
    const log = await EmbeddedEventLog.open({ dir, fsync: 'none' });
    await log.ensureTopics(topicSpecs(['shared'], 4));
    return new PlatformOnDisk(dir, log, await PgliteStore.open(database === 'on disk' ? { dir: path.join(dir, 'pg') } : { memory: true }));
  }

  get deps(): AppDeps {
    return PlatformOnDisk.depsOn(this.log, this.store, this.codec, this.dir);
  }

  static codec(): EventCodec {
    return new EventCodec();
  }

  /** Dependencies of a projector besides log and store. */
  static depsOn(log: EventLog, store: Store, codec: EventCodec, dir = tmpdir()): AppDeps {
    const nobody = { publish: () => undefined, subscribe: async () => undefined, close: async () => undefined };
    const keys = { tenantKey: () => Buffer.alloc(32) };
    const logger = createLogger('test', 'silent');
    const metrics = new Registry();
    return {
      log,
      codec,
      store,
      keys,
      blobs: new FolderBlobs(dir),
      results: new InProcessResults(),
      wake_ups: nobody,
      clock: systemClock,
      vault: Vault.inMemory(),
      logger,
      metrics,
      tracing: false,
    };
  }

  static recordOf(codec: EventCodec, { topic, partition, event_type, event }: PlacedEvent): NewRecord {
    return { topic, partition, key: null, value: codec.encode(event_type, event), headers: { event_type } };
  }

  async append(events: readonly PlacedEvent[]): Promise<void> {
    await this.log.append(events.map((at) => PlatformOnDisk.recordOf(this.codec, at)));
  }

  /** Resolves when the views show everything that is on the log. */
  async folded(): Promise<void> {
    const heads = await Promise.all(
      topicSpecs(['shared'], 1)
        .filter(({ name }) => name !== 'trust-view' && name !== 'tool-registered' && name !== 'dead-letter' && name !== 'security-event')
        .map(async ({ name }) => ({ topic: name, partition: 0, offset: (await this.log.head(name, 0)) - 1 })),
    );
    const wanted = heads.filter(({ offset }) => offset >= 0);
    if (!(await waitForPosition(this.store, wanted, 10_000))) throw new Error('the projector cannot catch up');
  }

  async close(): Promise<void> {
    await this.log.close();
    await this.store.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}
