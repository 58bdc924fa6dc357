import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sampleContract } from '@countersign/calls/testing/samples';
import { StandIn, usualScript } from '@countersign/calls/testing/stand-ins';
import { EventCodec } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { type AppDeps, createLogger, Personal, systemClock, topicSpecs } from '@countersign/process';
import { InProcessWakeUps, KeyRing, MemorySubjectKeys, PgliteStore, Vault } from '@countersign/store';
import { Registry } from 'prom-client';
import type { GatewayConfig } from '../config.js';
import { type RunningGateway, startGateway } from '../start-gateway.js';

export interface Answered {
  status: number;
  etag: string | null;
  body: Record<string, unknown>;
}

/** Real gateways on one log, one store and one vault. */
export class GatewaysOnOneLog {
  private constructor(
    readonly gateways: RunningGateway[],
    readonly log: EmbeddedEventLog,
    readonly codec: EventCodec,
    readonly store: PgliteStore,
    readonly admin_key: string,
    private readonly standIn: StandIn,
    private readonly own: { dir: string; start(): Promise<RunningGateway> },
  ) {}

  static async open(
    count: number,
    tools: readonly string[],
    { partitions = 1, ...more }: Partial<GatewayConfig> & { partitions?: number } = {},
  ): Promise<GatewaysOnOneLog> {
    const dir = await mkdtemp(path.join(tmpdir(), 'countersign-gateways-'));
    const log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), fsync: 'none' });
    await log.ensureTopics(topicSpecs(['shared'], partitions));
    const store = await PgliteStore.open({ memory: true });
    const codec = new EventCodec();
    const standIn = new StandIn(log, codec, usualScript);
    await standIn.start();
    for (const name of tools) await standIn.register(sampleContract({ name }));
    const keys = KeyRing.fromText(Buffer.alloc(32, 7).toString('base64'));
    const personal = new Personal(new MemorySubjectKeys(), keys, () => systemClock.now_ms());
    const parts = { personal, log, store, codec, keys, wake_ups: new InProcessWakeUps(), vault: Vault.inMemory(), tracing: false };
    const gateways: RunningGateway[] = [];
    const start = () => {
      const deps = { ...parts, clock: systemClock, logger: createLogger('gateway', 'silent'), metrics: new Registry() };
      const config = { host: '127.0.0.1', port: 0, callback_allow_private: true, lanes: ['shared'], data_dir: path.join(dir, 'data') };
      return startGateway(deps as unknown as AppDeps, { ...config, identity_allow_private: true, ...more });
    };
    for (let n = 0; n < count; n++) gateways.push(await start());
    return new GatewaysOnOneLog(gateways, log, codec, store, gateways[0]?.admin_key as string, standIn, { dir, start });
  }

  /** Stops the nth gateway and starts another one in its place. */
  async restart(n: number): Promise<void> {
    await this.gateways[n]?.close();
    this.gateways[n] = await this.own.start();
  }

  /** Sends a request to the nth gateway as an admin. */
  async ask(n: number, method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answered> {
    const response = await fetch(`http://127.0.0.1:${this.gateways[n]?.port}${url}`, {
      method,
      headers: {
        authorization: `Bearer ${this.admin_key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    return { status: response.status, etag: response.headers.get('etag'), body: parsed };
  }

  async close(): Promise<void> {
    for (const gateway of this.gateways) await gateway.close();
    await this.standIn.close();
    await this.store.close();
    await this.log.close();
    await rm(this.own.dir, { recursive: true, force: true });
  }
}
