import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  callId,
  canonicalText,
  contractDigest,
  derivedKey,
  discriminatingInputs,
  EventCodec,
  type EventMap,
  type EventType,
  isReadOnly,
  laneTopic,
  normalise,
  partitionOf,
  sha256Hex,
  type ToolCall,
  type ToolContract,
  topicOf,
  uuidv7,
} from '@countersign/contracts';
import { BatchDecoder, EmbeddedEventLog, type EventLog, type Recorded } from '@countersign/event-log';
import { type AppDeps, createLogger, type RunningApp, systemClock, topicSpecs } from '@countersign/process';
import { PgliteStore, type Store } from '@countersign/store';
import { Registry } from 'prom-client';
import type { ExecutorConfig } from '../config.js';
import { startExecutor } from '../start-executor.js';
import { testPack, World } from './tools.js';

const PARTITIONS = 2;
const TENANT_KEY = Buffer.alloc(32, 7);

/** What a spec may say about a call; the rest has defaults. */
export interface Asked {
  tenant?: string;
  act?: string;
  wait_ms?: number;
  case_id?: string;
  call?: Partial<ToolCall>;
  ruling?: Partial<EventMap['policy_decided']>;
  /** A key other than the derived one. */
  key?: string;
}

/** An executor on a real log and a real store, with policy played by the spec. */
export class Rig {
  readonly world = new World();
  readonly codec = new EventCodec();
  readonly apps: RunningApp[] = [];
  private readonly contracts: Map<string, ToolContract>;
  private readonly pack = testPack(this.world);

  private constructor(
    readonly dir: string,
    public log: EventLog,
    public store: Store,
  ) {
    this.contracts = new Map(this.pack.tools.map((tool) => [tool.contract.name, tool.contract]));
  }

  static async open(): Promise<Rig> {
    const dir = await mkdtemp(join(tmpdir(), 'countersign-executor-'));
    const log = await EmbeddedEventLog.open({ dir });
    await log.ensureTopics(topicSpecs(['shared'], PARTITIONS));
    return new Rig(dir, log, await PgliteStore.open({ memory: true }));
  }

  deps(over: Partial<AppDeps> = {}): AppDeps {
    return {
      log: this.log,
      codec: this.codec,
      store: this.store,
      keys: { tenantKey: () => TENANT_KEY },
      wake_ups: { publish: () => undefined, subscribe: async () => undefined },
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
      lanes: ['shared'],
      ...config,
    };
    const app = await startExecutor(this.deps(over), whole, [this.pack]);
    this.apps.push(app);
    return app;
  }

  /** A grant by these people. */
  grant(
    ruling: EventMap['policy_decided'],
    voters: readonly string[] = ['ann'],
    over: Partial<EventMap['approval_granted']> = {},
  ): EventMap['approval_granted'] {
    return {
      meta: { ...ruling.meta, event_id: uuidv7(Date.now()) },
      approval_id: `approval-${ruling.meta.call_id}`,
      decision_id: ruling.decision_id,
      revision: ruling.revision,
      ruling_digest: 'd',
      votes: voters.map((voter_id) => ({ vote_id: `vote-${voter_id}`, voter_id, vote: 'approve', voted_at_ms: Date.now() })),
      joined_call_id: null,
      execute_before_ms: Date.now() + 60_000,
      tier: 'tier_2_approval_required',
      source: { topic: 'approval-voted', offset: 0 },
      call: ruling.call,
      ...over,
    };
  }

  /** Somebody cancels a call that was allowed. */
  async cancel(ruling: EventMap['policy_decided']): Promise<void> {
    const { meta, call } = ruling;
    const by = { kind: 'user' as const, id: 'olga', roles: ['operator'] };
    const source = { topic: 'tool-call-requested', offset: 1 };
    await this.put('call_cancelled', [
      { meta: { ...meta, event_id: uuidv7(Date.now()) }, revision: 1, reason: 'changed my mind', by, final: false, source, call },
    ]);
  }

  /** A person says what became of a call in doubt, and policy allows it. */
  async resolve(ruling: EventMap['policy_decided'], resolution: 'happened' | 'did_not_happen'): Promise<void> {
    const by = { kind: 'user' as const, id: 'olga', roles: ['operator'] };
    const source = { topic: 'tool-call-requested', offset: 2 };
    const meta = { ...ruling.meta, event_id: uuidv7(Date.now()) };
    await this.put('resolution_allowed', [
      { meta, resolution, output_json: '{"ok":true,"name":"found"}', reason: 'looked it up', by, source },
    ]);
  }

  /** The database is lost; the log stays. */
  async loseDatabase(): Promise<void> {
    await this.store.close();
    this.store = await PgliteStore.open({ memory: true });
  }

  async close(): Promise<void> {
    for (const app of this.apps) await app.close();
    await this.store.close();
    await this.log.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** The call that a gateway would admit. */
  call(tool: string, name: string, asked: Asked = {}): { call_id: string; call: ToolCall } {
    const contract = this.contracts.get(tool) as ToolContract;
    const inputs = { name, ...(asked.act ? { act: asked.act } : {}), ...(asked.wait_ms ? { wait_ms: asked.wait_ms } : {}) };
    const tenant_id = asked.tenant ?? 'default';
    const case_id = asked.case_id ?? 'case-1';
    const uuid = uuidv7(Date.now());
    const discriminating = canonicalText(normalise(discriminatingInputs(contract, inputs)));
    const key = isReadOnly(contract.effect_class)
      ? uuid
      : (asked.key ??
        derivedKey(TENANT_KEY, {
          tenant_id,
          case_id,
          run_id: null,
          principal_id: 'agent-1',
          tool,
          version: '1.0.0',
          discriminating,
          occurrence: null,
        }));
    const inputs_json = canonicalText(inputs);
    const call: ToolCall = {
      tool,
      version: '1.0.0',
      effect_class: contract.effect_class,
      category: 'test',
      contract_digest: contractDigest(contract),
      inputs_json,
      inputs_digest: sha256Hex(inputs_json),
      idempotency_key: key,
      key_source: 'derived',
      discriminating_digest: sha256Hex(discriminating),
      window_ms: 86_400_000,
      case_id,
      run_id: null,
      occurrence: null,
      principal: { kind: 'agent', id: 'agent-1', roles: ['agent'] },
      context: EMPTY_CONTEXT,
      deadline_ms: null,
      callback_url: null,
      requested_at_ms: Date.now(),
      lane: 'shared',
      ...asked.call,
    };
    return { call_id: callId(partitionOf(key, PARTITIONS), uuid), call };
  }

  /** The ruling that allows a call. */
  ruling(tool: string, name: string, asked: Asked = {}): EventMap['policy_decided'] {
    const { call_id, call } = this.call(tool, name, asked);
    return {
      meta: this.meta(call_id, asked.tenant ?? 'default'),
      decision_id: uuidv7(Date.now()),
      revision: 1,
      effect: 'allow',
      tier: 'tier_1_auto',
      approval_mode_effective: 'local_write',
      rule: 'default',
      bundle_version: '1',
      config_offset: 1_000_000,
      reason: null,
      joined_call_id: null,
      approval_id: null,
      execute_before_ms: Date.now() + 60_000,
      source: { topic: 'tool-call-requested', offset: 0 },
      call,
      ...asked.ruling,
    };
  }

  meta(call_id: string, tenant_id: string): EventMap['policy_decided']['meta'] {
    const partition = Number(call_id.split('-', 1)[0]);
    return {
      event_id: uuidv7(Date.now()),
      tenant_id,
      call_id,
      attempt: 0,
      causation_id: null,
      correlation_id: 'a'.repeat(32),
      hlc: Date.now() * 1000,
      partition,
    };
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
  async allow(tool: string, name: string, asked: Asked = {}): Promise<EventMap['policy_decided']> {
    const ruling = this.ruling(tool, name, asked);
    await this.put('policy_decided', [ruling]);
    return ruling;
  }

  /** Everything on tool-executed. */
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

  /** Waits until the calls have their ends and returns the first of each, in the order asked. */
  async ends(call_ids: readonly string[], within_ms = 10_000): Promise<Ended[]> {
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

  async until(what: () => boolean | Promise<boolean>, within_ms = 10_000): Promise<void> {
    for (const until = Date.now() + within_ms; !(await what()); await sleep(10))
      if (Date.now() > until) throw new Error(`not within ${within_ms} ms`);
  }
}

export type Ended = Extract<
  Recorded,
  { event_type: 'tool_executed' | 'tool_retry_deduplicated' | 'tool_call_in_doubt' | 'tool_call_resolved' }
>;

const EMPTY_CONTEXT: ToolCall['context'] = {
  agent: null,
  run_id: null,
  step_id: null,
  request_id: null,
  seq: null,
  iteration: null,
  rationale: null,
  skill: null,
  step: null,
  rule: null,
  purpose: null,
  safety_mode: null,
  run_budget: null,
};
