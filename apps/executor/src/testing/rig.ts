import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventCodec, type EventMap, type EventType, laneTopic, topicOf, uuidv7 } from '@countersign/contracts';
import { BatchDecoder, EmbeddedEventLog, type EventLog, type Recorded } from '@countersign/event-log';
import { type AppDeps, createLogger, type RunningApp, systemClock, topicSpecs } from '@countersign/process';
import type { ProcessIdentity } from '@countersign/runtimes';
import { FolderBlobs, fenceOthers, InProcessResults, InProcessWakeUps, type Store } from '@countersign/store';
import { Registry } from 'prom-client';
import type { ExecutorConfig } from '../config.js';
import { startExecutor } from '../start-executor.js';
import { keptStores } from './kept-stores.js';
import { PARTITIONS, PlayedPolicy, type RulingOptions, TENANT_KEY } from './played-policy.js';
import { testPack, World } from './tools.js';

/** An executor on a real log and a real store; the spec plays the policy service. */
export class Rig {
  readonly world = new World();
  readonly codec = new EventCodec();
  readonly apps: RunningApp[] = [];
  readonly wake_ups = new InProcessWakeUps();
  readonly results = new InProcessResults();
  readonly blobs: FolderBlobs;
  private readonly pack = testPack(this.world);
  private readonly policy = new PlayedPolicy(this.pack);
  readonly ruling = this.policy.ruling.bind(this.policy);
  readonly undoRuling = this.policy.undoRuling.bind(this.policy);
  readonly grant = this.policy.grant.bind(this.policy);
  readonly meta = this.policy.meta.bind(this.policy);

  private constructor(
    readonly dir: string,
    public log: EventLog,
    public store: Store,
  ) {
    this.blobs = new FolderBlobs(join(dir, 'blobs'));
  }

  static async open(): Promise<Rig> {
    const dir = await mkdtemp(join(tmpdir(), 'countersign-executor-'));
    const log = await EmbeddedEventLog.open({ dir });
    await log.ensureTopics(topicSpecs(['shared'], PARTITIONS));
    return new Rig(dir, log, await keptStores.take());
  }

  deps(over: Partial<AppDeps> = {}): AppDeps {
    return {
      log: this.log,
      codec: this.codec,
      store: this.store,
      keys: { tenantKey: () => TENANT_KEY },
      wake_ups: this.wake_ups,
      blobs: this.blobs,
      results: this.results,
      clock: systemClock,
      logger: createLogger('executor', 'silent'),
      metrics: new Registry(),
      tracing: false,
      ...over,
    } as AppDeps;
  }

  async start(config: Partial<ExecutorConfig> = {}, over: Partial<AppDeps> = {}): Promise<RunningApp> {
    const whole: ExecutorConfig = {
      packs: ['test'],
      executor_id: `test-${this.apps.length}`,
      running_max: 64,
      waiting_max: 20_000,
      lease_ms: 5000,
      environment: {},
      environment_name: 'default',
      lanes: ['shared'],
      ...config,
    };
    const app = await startExecutor(this.deps(over), whole, [this.pack]);
    this.apps.push(app);
    return app;
  }

  /** Cancels an allowed call. */
  async cancel(ruling: EventMap['policy_decided']): Promise<void> {
    const { meta, call } = ruling;
    const by = { kind: 'user' as const, id: 'olga', roles: ['operator'] };
    const source = { topic: 'tool-call-requested', offset: 1 };
    await this.put('call_cancelled', [
      {
        meta: { ...meta, event_id: uuidv7(Date.now()) },
        revision: 1,
        reason: 'changed my mind',
        by,
        final: false,
        source,
        call,
        only_before_fire: false,
      },
    ]);
  }

  /** A person resolves a call in doubt, and the policy service allows it. */
  async resolve(ruling: EventMap['policy_decided'], resolution: 'happened' | 'did_not_happen'): Promise<void> {
    const by = { kind: 'user' as const, id: 'olga', roles: ['operator'] };
    const source = { topic: 'tool-call-requested', offset: 2 };
    const meta = { ...ruling.meta, event_id: uuidv7(Date.now()) };
    await this.put('resolution_allowed', [
      { meta, resolution, output_json: '{"ok":true,"name":"found"}', reason: 'looked it up', by, source },
    ]);
  }

  /** A dead executor was authorized for the call, claimed it and started it, in the given child process if there is one. */
  async startedByAnother(ruling: EventMap['policy_decided'], process: ProcessIdentity | null = null) {
    const grant = this.grant(ruling, ['ann'], { revision: 2 });
    const [offset] = await this.put('approval_granted', [grant]);
    const { meta, decision_id, revision, approval_id } = grant;
    const key = ruling.call.idempotency_key;
    const source = { topic: 'approval-granted', offset: offset as number };
    const now_ms = Date.now();
    const times = { fired_at_ms: now_ms, settle_at_ms: now_ms, config_offset: -1 };
    await this.put('tool_call_started', [
      {
        meta,
        idempotency_key: key,
        epoch: 1,
        decision_id,
        revision,
        approval_id,
        source,
        also: null,
        resources: null,
        process,
        ...times,
      },
    ]);
    await this.store.query({
      text: `INSERT INTO tool_executions (key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, lane, epoch)
        VALUES ($1, 1, 'default', $2, $3, 1, 0, 1, $4, 'shared', 1)`,
      params: [key, (meta.call_id as string).slice(2), meta.partition, offset],
    });
    return { source, key, grant };
  }

  /** Fences all leases, as another executor does once they have expired. */
  async fenceAll(): Promise<void> {
    await fenceOthers(this.store, 'shared', 0);
  }

  /** Deletes the database; the log stays. */
  async loseDatabase(): Promise<void> {
    await this.store.close();
    this.store = await keptStores.take();
  }

  async close(): Promise<void> {
    for (const app of this.apps) await app.close();
    await keptStores.giveBack(this.store);
    await this.log.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  async put<T extends EventType>(event_type: T, events: readonly EventMap[T][]): Promise<number[]> {
    return this.log.append(
      events.map((event) => ({
        topic: topicOf(event_type),
        partition: event.meta.partition,
        key: 'call' in event && event.call ? event.call.idempotency_key : null,
        value: this.codec.encode(event_type, event),
        headers: { event_type },
      })),
    );
  }

  /** Allows a call and returns its id. */
  async allow(tool: string, name: string, options: RulingOptions = {}): Promise<EventMap['policy_decided']> {
    const ruling = this.ruling(tool, name, options);
    await this.put('policy_decided', [ruling]);
    return ruling;
  }

  /** Undoes the effect of an earlier call. */
  async undo(of: EventMap['policy_decided'], over: Parameters<PlayedPolicy['undoRuling']>[1] = {}): Promise<EventMap['policy_decided']> {
    const ruling = this.undoRuling(of, over);
    await this.put('policy_decided', [ruling]);
    return ruling;
  }

  /** All records of tool-executed. */
  async executed(): Promise<Recorded[]> {
    const decoder = new BatchDecoder(this.codec, undefined);
    const found: Recorded[] = [];
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const topic = laneTopic('tool-executed', 'shared');
      const head = await this.log.head(topic, partition);
      for (let offset = 0; offset < head; ) {
        const records = await this.log.read(topic, partition, offset, 500);
        if (records.length === 0) break;
        found.push(...(await decoder.decode(records)).events);
        offset = (records.at(-1)?.offset ?? offset) + 1;
      }
    }
    return found;
  }

  async eventsOf(call_id: string): Promise<Recorded[]> {
    return (await this.executed()).filter((event) => event.event.meta.call_id === call_id);
  }

  /** Waits until the calls have ended and returns the first end of each, in the given order. */
  async ends(call_ids: readonly string[], within_ms = 60_000): Promise<Ended[]> {
    const until = Date.now() + within_ms;
    for (;;) {
      const first = new Map<string, Ended>();
      for (const event of await this.executed())
        if ('outcome' in event.event && !first.has(event.event.meta.call_id as string))
          first.set(event.event.meta.call_id as string, event as Ended);
      if (call_ids.every((call_id) => first.has(call_id))) return call_ids.map((call_id) => first.get(call_id) as Ended);
      if (Date.now() > until)
        throw new Error(`no end of ${call_ids.filter((call_id) => !first.has(call_id)).length} of ${call_ids.length} calls`);
      await sleep(20);
    }
  }

  async end(ruling: EventMap['policy_decided']): Promise<Ended> {
    return (await this.ends([ruling.meta.call_id as string]))[0] as Ended;
  }

  async until(what: () => boolean | Promise<boolean>, within_ms = 60_000): Promise<void> {
    for (const until = Date.now() + within_ms; !(await what()); await sleep(10))
      if (Date.now() > until) throw new Error(`not within ${within_ms} ms`);
  }
}

export type Ended = Extract<
  Recorded,
  { event_type: 'tool_executed' | 'tool_retry_deduplicated' | 'tool_call_in_doubt' | 'tool_call_resolved' }
>;
