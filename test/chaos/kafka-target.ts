import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import type { Api } from '../journeys/api.js';
import { DistributedPlatform, realParts } from '../journeys/distributed-platform.js';
import type { ChaosTarget, ServiceName } from './target.js';

const SESSION_MS = 3000;

/** A process for each service on the external services. Their group sessions are short, so that a killed member's partitions move soon. */
export class KafkaTarget implements ChaosTarget {
  readonly mode = 'kafka' as const;
  readonly services: readonly ServiceName[] = ['gateway', 'policy', 'executor', 'orchestrator', 'projector'];

  private constructor(private readonly platform: DistributedPlatform) {}

  static async start(env: Record<string, string>): Promise<KafkaTarget> {
    return new KafkaTarget(await DistributedPlatform.start({ ...env, COUNTERSIGN_KAFKA_SESSION_MS: String(SESSION_MS) }));
  }

  api(): Api {
    return this.platform.admin();
  }

  async kill(service: ServiceName): Promise<void> {
    const process = this.platform.member(service);
    if (process.alive) await process.stop('SIGKILL');
  }

  async up(service: ServiceName, env: Record<string, string> = {}): Promise<void> {
    if (this.platform.member(service).alive) return;
    this.platform.restart(service, env);
    await this.platform.ready(service);
  }

  async ended(service: ServiceName, timeout_ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), timeout_ms);
    });
    const exit = this.platform.member(service).exit();
    const ended = await Promise.race([exit.then(() => true), late]);
    clearTimeout(timer);
    return ended;
  }

  signal(service: ServiceName, name: 'SIGSTOP' | 'SIGCONT'): void {
    this.platform.member(service).signal(name);
  }

  /** A group commits its offsets lazily. */
  async committed(service: ServiceName): Promise<void> {
    const anyOf = async (admin: Admin, groupId: string) =>
      (await admin.fetchOffsets({ groupId })).some(({ partitions }) => partitions.some(({ offset }) => Number(offset) > 0));
    await this.platform.member(service).until('committed offsets', () =>
      this.ofGroups(service, async (admin, groups) => {
        for (const groupId of groups) if (await anyOf(admin, groupId)) return true;
        return false;
      }),
    );
  }

  resetOffsets(service: ServiceName): Promise<void> {
    return this.ofGroups(service, async (admin, groups) => {
      for (const groupId of groups) {
        await this.untilEmpty(admin, groupId);
        const offsets = await admin.fetchOffsets({ groupId });
        for (const { topic } of offsets) await admin.resetOffsets({ groupId, topic, earliest: true });
      }
    });
  }

  /** Runs work for each group in which a service reads. @throws if it reads in none. */
  private async ofGroups<T>(service: ServiceName, work: (admin: Admin, groups: readonly string[]) => Promise<T>): Promise<T> {
    const admin = new Kafka({ brokers: realParts().COUNTERSIGN_TEST_KAFKA.split(','), logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      const { groups } = await admin.listGroups();
      const own = groups
        .map(({ groupId }) => groupId)
        .filter((groupId) => /^[.-]/.test(groupId.split(`${this.platform.prefix}${service}`)[1] ?? ''));
      if (own.length === 0) throw new Error(`${service} reads in no group`);
      return await work(admin, own);
    } finally {
      await admin.disconnect();
    }
  }

  /** A killed member leaves its group only when its session has timed out. */
  private async untilEmpty(admin: Admin, groupId: string): Promise<void> {
    for (let i = 0; i < 200; i++) {
      const { groups } = await admin.describeGroups([groupId]);
      if (groups[0]?.members.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(`group ${groupId} still has members after 40 s`);
  }

  async standby(): Promise<void> {
    await this.platform.add('standby', 'executor');
    await this.platform.ready('standby');
  }

  logged(text: string): number {
    return [...this.platform.members.values()].reduce((sum, { process }) => sum + process.logged(text), 0);
  }

  async keep(): Promise<string> {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-kept-'));
    for (const [name, { process }] of this.platform.members) writeFileSync(path.join(folder, `${name}.log`), process.output);
    return folder;
  }

  close(): Promise<void> {
    return this.platform.close();
  }
}
