import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sampleContract } from '@countersign/calls/testing/samples';
import { StandIn, usualScript } from '@countersign/calls/testing/stand-ins';
import { EventCodec, type ToolContract } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { type RunningGateway, startGateway } from '@countersign/gateway';
import { type AppDeps, createLogger, Personal, type RunningApp, systemClock, topicSpecs } from '@countersign/process';
import { startProjector } from '@countersign/projector';
import { FolderBlobs, InProcessResults, InProcessWakeUps, KeyRing, MemorySubjectKeys, PgliteStore, Vault } from '@countersign/store';
import { Registry } from 'prom-client';
import { PlayedOrchestrator } from './played-orchestrator.js';

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of any shape
  body: any;
}

export interface Sent {
  body?: unknown;
  headers?: Record<string, string>;
  /** Default: the admin of the tenant `default`. */
  key?: string;
  /** Which gateway. */
  gateway?: number;
}

const anything = { type: 'object', additionalProperties: true };
const tool = (name: string): ToolContract => sampleContract({ name, input_schema: anything, output_schema: anything });

/** Gateways and a projector on one embedded log, with a played orchestrator. */
export class SagaWorld {
  private constructor(
    readonly orchestrator: PlayedOrchestrator,
    readonly log: EmbeddedEventLog,
    readonly codec: EventCodec,
    private readonly gateways: readonly RunningGateway[],
    private readonly ends: readonly (() => unknown)[],
  ) {}

  static async open(count = 1): Promise<SagaWorld> {
    const dir = await mkdtemp(path.join(tmpdir(), 'countersign-sagas-'));
    const log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), fsync: 'none' });
    await log.ensureTopics(topicSpecs(['shared'], 2));
    const store = await PgliteStore.open({ memory: true });
    const codec = new EventCodec();
    const keys = KeyRing.fromText(Buffer.alloc(32, 7).toString('base64'));
    const personal = new Personal(new MemorySubjectKeys(), keys, () => systemClock.now_ms());
    const stores = { log, store, codec, keys, personal, wake_ups: new InProcessWakeUps(), results: new InProcessResults() };
    const shared = {
      ...stores,
      vault: Vault.inMemory(),
      blobs: new FolderBlobs(path.join(dir, 'blobs')),
      clock: systemClock,
      tracing: false,
    };
    const depsOf = (service: 'gateway' | 'projector') =>
      ({ ...shared, logger: createLogger(service, 'silent'), metrics: new Registry() }) as AppDeps;
    const projector: RunningApp = await startProjector(depsOf('projector'), { lanes: ['shared'], partitions: 2 });
    const standIn = new StandIn(log, codec, usualScript);
    await standIn.start();
    for (const name of ['book', 'pay', 'ship', 'undo']) await standIn.register(tool(name));
    const orchestrator = new PlayedOrchestrator(log, codec);
    await orchestrator.start();
    const config = { host: '127.0.0.1', port: 0, callback_allow_private: true, identity_allow_private: true, lanes: ['shared'] };
    const gateways: RunningGateway[] = [];
    for (let n = 0; n < count; n++)
      gateways.push(await startGateway(depsOf('gateway'), { ...config, data_dir: path.join(dir, 'data'), strict_answers: true }));
    const ends = [
      ...gateways.map((gateway) => () => gateway.close()),
      () => orchestrator.close(),
      () => standIn.close(),
      () => projector.close(),
      () => store.close(),
      () => log.close(),
      () => rm(dir, { recursive: true, force: true }),
    ];
    return new SagaWorld(orchestrator, log, codec, gateways, ends);
  }

  async send(method: string, url: string, { body, headers = {}, key, gateway = 0 }: Sent = {}): Promise<Reply> {
    const { port, admin_key } = this.gateways[gateway] as RunningGateway;
    const authorization = `Bearer ${key ?? admin_key ?? this.gateways[0]?.admin_key}`;
    const response = await fetch(`http://127.0.0.1:${port}${url}`, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** A response whose body is read as it arrives. */
  fetch(url: string, headers: Record<string, string>, key?: string): Promise<Response> {
    const { port, admin_key } = this.gateways[0] as RunningGateway;
    return fetch(`http://127.0.0.1:${port}${url}`, { headers: { authorization: `Bearer ${key ?? admin_key}`, ...headers } });
  }

  /** The header with which a read waits until the views show everything on the record. */
  async seenAll(): Promise<Record<string, string>> {
    const positions: string[] = [];
    for (let partition = 0; partition < this.log.partitions('compensation'); partition++) {
      const records = await this.log.read('compensation', partition, 0, 10_000);
      if (records.length > 0) positions.push(`compensation:${partition}:${records.length - 1}`);
    }
    return { 'countersign-position': positions.join(',') };
  }

  /** A key of a principal of the tenant `default`. */
  async keyFor(id: string, roles: readonly string[], kind: 'user' | 'agent' = 'user', more: object = {}): Promise<string> {
    const made = await this.send('POST', '/v1/keys', { body: { principal: { kind, id, roles }, ...more } });
    if (typeof made.body.key !== 'string') throw new Error(JSON.stringify(made.body));
    return made.body.key;
  }

  /** The events of a topic. */
  // biome-ignore lint/suspicious/noExplicitAny: events of any shape
  async events(topic: string): Promise<any[]> {
    const found = [];
    for (let partition = 0; partition < this.log.partitions(topic); partition++) {
      const records = await this.log.read(topic, partition, 0, 10_000);
      found.push(...records.map((record) => this.codec.decode(record.value).event));
    }
    return found;
  }

  async close(): Promise<void> {
    for (const end of this.ends) await end();
  }
}

export const step = (name: string, more: object = {}) => ({
  ...{ kind: 'step', name, use: { tool: name, version: '^1.0.0', inputs: {} } },
  ...more,
});
export const definition = (root: object, more: object = {}) => ({ name: 'trip', version: '1.0.0', wait_max_ms: 60_000, root, ...more });
export const sequence = (...blocks: object[]) => ({ kind: 'sequence', blocks });

/** Keys of the principals of a test, by what they may do. */
export async function keysOf(world: SagaWorld) {
  return {
    agent: await world.keyFor('shopper', ['agent'], 'agent'),
    other: await world.keyFor('stranger', ['agent'], 'agent'),
    robot: await world.keyFor('robot', ['agent', 'operator', 'approver'], 'agent'),
    operator: await world.keyFor('olga', ['operator']),
    approver: await world.keyFor('anna', ['approver']),
    both: await world.keyFor('boss', ['agent', 'approver', 'operator']),
  };
}
