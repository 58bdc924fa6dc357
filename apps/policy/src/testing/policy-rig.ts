import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type AnyEvent,
  callId,
  contractDigest,
  EventCodec,
  type EventMap,
  type EventType,
  type Meta,
  type Principal,
  type ToolCall,
  type ToolContract,
  topicOf,
  uuidv7,
  type VoteKind,
} from '@countersign/contracts';
import { aCall, aMeta } from '@countersign/domain/testing/ruled-partition';
import { ungatedRegistration } from '@countersign/domain/testing/ungated-registration';
import { EmbeddedEventLog, type EventLog, type LogRecord } from '@countersign/event-log';
import { type AppDeps, createLogger, type RunningApp, topicSpecs } from '@countersign/process';
import { FolderBlobs, InProcessResults, type Store, Vault } from '@countersign/store';
import { Registry } from 'prom-client';
import type { PolicyConfig } from '../config.js';
import { startPolicy } from '../policy.module.js';
import { MemoryStore } from './memory-store.js';

const PARTITIONS = 2;
const ROOT: Principal = { kind: 'user', id: 'root', roles: ['admin'] };

const contractOf = (more: Partial<ToolContract> = {}): ToolContract => ({
  name: 'pay',
  version: '1.0.0',
  title: 'Pay',
  description: 'Pays.',
  category: 'test',
  input_schema: {},
  output_schema: {},
  effect_class: 'commit_high',
  reversibility: 'reversible',
  idempotency: { except: [] },
  takes_key: false,
  has_reconcile: false,
  has_compensate: false,
  timeout_ms: 1000,
  settle_ms: 2000,
  settle_is_final: false,
  max_output_bytes: 1000,
  markings: [],
  scopes: [],
  ...more,
});

export const pay = contractOf();
const note = contractOf({ name: 'note', effect_class: 'stage' });

const CONFIG: PolicyConfig = {
  lanes: ['shared'],
  allow_for_ms: 900_000,
  grant_for_ms: 3_600_000,
  batch_records_max: 200,
  pending_records_max: 1000,
  snapshot_every_ms: 100,
};

/** An event as a reader of the log sees it. */
export type Seen = AnyEvent & { offset: number; partition: number };

/** For specs: the policy service on the real embedded log; the test plays the other services. */
export class PolicyRig<S extends Store = MemoryStore> {
  readonly codec = new EventCodec();
  /** Added to the wall clock of the policy service and of the log. */
  ahead_ms = 0;
  /** Added only to the clock of the policy service. */
  skew_ms = 0;
  /** Logger of the policy service, from its next start on. */
  logger = createLogger('policy', 'silent');
  private readonly keys_made = new Set<string>();
  private app: RunningApp | undefined;

  private constructor(
    private readonly dir: string,
    private inner: EmbeddedEventLog,
    private readonly wrap: (log: EventLog) => EventLog,
    readonly store: S,
  ) {}

  static open(wrap: (log: EventLog) => EventLog = (log) => log): Promise<PolicyRig> {
    return PolicyRig.on(new MemoryStore(), wrap);
  }

  /** With a store that the caller closes. */
  static async on<S extends Store>(store: S, wrap: (log: EventLog) => EventLog = (log) => log): Promise<PolicyRig<S>> {
    const dir = await mkdtemp(path.join(tmpdir(), 'countersign-policy-'));
    let rig: PolicyRig<S> | undefined;
    const log = await EmbeddedEventLog.open({ dir, fsync: 'none', clock: () => rig?.now() ?? Date.now() });
    rig = new PolicyRig(dir, log, wrap, store);
    await log.ensureTopics(topicSpecs(['shared'], PARTITIONS));
    await rig.configure();
    await rig.start();
    return rig;
  }

  now(): number {
    return Date.now() + this.ahead_ms;
  }

  globalMeta(): Meta {
    return aMeta(null);
  }

  get ready(): boolean {
    return this.app?.ready() === true;
  }

  get log(): EventLog {
    return this.inner;
  }

  /** With a wrapped log it does not wait until the service is ready. */
  async start(around?: EventLog): Promise<void> {
    const clock = { now_ms: () => this.now() + this.skew_ms, monotonic_ms: () => performance.now() };
    const deps: AppDeps = {
      log: around ?? this.wrap(this.inner),
      codec: this.codec,
      store: this.store,
      keys: { tenantKey: () => Buffer.alloc(32) },
      vault: Vault.inMemory(),
      blobs: new FolderBlobs('/nowhere'),
      results: new InProcessResults(),
      wake_ups: { publish: () => undefined, subscribe: async () => undefined, close: async () => undefined },
      clock,
      logger: this.logger,
      metrics: new Registry(),
      tracing: false,
    };
    this.app = await startPolicy(deps, CONFIG);
    if (!around) await this.until(() => this.ready);
  }

  async stop(): Promise<void> {
    await this.app?.close();
    this.app = undefined;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.inner.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  async put<T extends EventType>(event_type: T, event: EventMap[T], partition = 0): Promise<number> {
    const value = this.codec.encode(event_type, event);
    const [offset] = await this.inner.append([{ topic: topicOf(event_type), partition, key: null, value, headers: { event_type } }]);
    return offset as number;
  }

  async configure(): Promise<void> {
    const share = { lane: 'shared', weight: 1, running_max: 8, in_flight_max: 1000, principal: ROOT };
    await this.put('tenant_set', { meta: aMeta(null), ...share });
    for (const contract of [pay, note]) {
      const { name, version } = contract;
      const announced = {
        contract_json: JSON.stringify(contract),
        digest: contractDigest(contract),
        lanes: ['shared'],
        ...ungatedRegistration,
      };
      await this.put('tool_registered', { meta: aMeta(null), name, version, ...announced, executor_id: 'e1', registered_at_ms: 1 });
    }
  }

  /** Writes a request as the gateway does. @returns its call_id. */
  async request(tool: 'pay' | 'note', more: Partial<ToolCall> = {}, call_id = callId(0, uuidv7(this.now()))): Promise<string> {
    await this.put('tool_call_requested', { meta: this.meta(call_id), call: this.call(tool, more) }, Number(call_id.split('-')[0]));
    return call_id;
  }

  call(tool: 'pay' | 'note', more: Partial<ToolCall> = {}): ToolCall {
    const contract = tool === 'pay' ? pay : note;
    const { effect_class } = contract;
    return aCall({ tool, effect_class, contract_digest: contractDigest(contract), idempotency_key: uuidv7(this.now()), ...more });
  }

  meta(call_id: string): Meta {
    return { ...aMeta(call_id, this.now() * 1000), event_id: uuidv7(this.now()), partition: Number(call_id.split('-')[0]) };
  }

  /** Gives a person a key with these roles, once. @returns its key_id. */
  async person(principal: Principal): Promise<string> {
    const key_id = `key-${principal.id}-${principal.roles.join('-')}`;
    if (this.keys_made.has(key_id)) return key_id;
    this.keys_made.add(key_id);
    const rights = { scopes: [], clearances: [], purposes: null, owner: null };
    const times = { expires_at_ms: null, created_at_ms: this.now() };
    await this.put('api_key_set', {
      meta: aMeta(null),
      key_id,
      key_hash: key_id,
      principal,
      by: ROOT,
      only_if_first: false,
      ...rights,
      ...times,
    });
    return key_id;
  }

  async revoke(key_id: string): Promise<void> {
    await this.put('api_key_revoked', { meta: aMeta(null), key_id, by: ROOT, revoked_at_ms: this.now() });
  }

  async vote(
    approval_id: string,
    voter: string,
    vote: VoteKind,
    roles = ['approver'],
    more: Partial<EventMap['approval_voted']> = {},
  ): Promise<void> {
    const call_id = approval_id.split('.')[0] as string;
    const by: Principal = { kind: 'user', id: voter, roles };
    await this.person(by);
    const empty = { reason: null, inputs_json: null, inputs_digest: null, to: null, edited: null, grant: null, voter_issuer: 'local' };
    const cast = { approval_id, vote_id: uuidv7(this.now()), vote, voter: by, voted_at_ms: this.now(), ...empty, ...more };
    await this.put('approval_voted', { meta: this.meta(call_id), ...cast }, Number(call_id.split('-')[0]));
  }

  /** All output of the policy service in one topic and partition, in order. */
  async published(topic: 'policy-decided' | 'approval-granted', partition = 0): Promise<Seen[]> {
    const records: LogRecord[] = [];
    for (let head = await this.inner.head(topic, partition); records.length < head; )
      records.push(...(await this.inner.read(topic, partition, records.length, 1000)));
    return records.map(({ value, offset }) => ({ ...this.codec.decode(value), offset, partition }) as Seen);
  }

  async ofCall(call_id: string): Promise<Seen[]> {
    const partition = Number(call_id.split('-')[0]);
    const all = [...(await this.published('policy-decided', partition)), ...(await this.published('approval-granted', partition))];
    return all.filter((seen) => seen.event.meta.call_id === call_id);
  }

  /** Waits for the first event of this type about a call. */
  async seen<T extends EventType>(call_id: string, event_type: T): Promise<EventMap[T]> {
    let found: Seen | undefined;
    await this.until(async () => {
      found = (await this.ofCall(call_id)).find((one) => one.event_type === event_type);
      return found !== undefined;
    });
    return (found as Seen).event as EventMap[T];
  }

  async until(holds: () => boolean | Promise<boolean>, within_ms = 60_000): Promise<void> {
    for (const end = Date.now() + within_ms; ; ) {
      if (await holds()) return;
      if (Date.now() > end) throw new Error(`not within ${within_ms} ms: ${holds}`);
      await new Promise((done) => setTimeout(done, 15));
    }
  }
}
