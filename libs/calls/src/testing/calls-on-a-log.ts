import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EventCodec, firstMeta } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log/embedded/embedded-event-log';
import { AddressRules } from '@countersign/outbound';
import { type AppDeps, CONFIGURATION_TOPIC, createLogger, foldConfiguration, systemClock, topicSpecs } from '@countersign/process';
import { FolderBlobs, InProcessResults, InProcessWakeUps, KeyRing, PgliteStore, Vault } from '@countersign/store';
import { Registry } from 'prom-client';
import { type AssembledCalls, assembleCalls } from '../assemble-calls.js';
import type { Caller } from '../caller.js';
import { Readable } from '../personal/readable.js';
import { RecordWriter } from '../recording/record-writer.js';
import { Refusal } from '../refusal.js';
import { type CallRequest, callRequest } from '../request/call-request.js';
import type { CallAnswer } from '../submitting/answer-writer.js';
import { AnsweredPositions } from '../views/answered-positions.js';
import { Views } from '../views/views.js';
import { sampleContract } from './samples.js';
import { StandInViews } from './stand-in-views.js';
import { StandIn, usualScript } from './stand-ins.js';

const TENANT = 'default';
const LANES = ['shared'];

export function callerOf(id: string, more: Partial<Caller> = {}): Caller {
  const rights = { scopes: null, clearances: [], purposes: null };
  const authority = { agent_token_ref: `key:${id}`, ...rights, on_behalf_of: null, delegated_user_token_ref: null, delegation_id: null };
  return {
    tenant_id: TENANT,
    key_id: id,
    principal: { kind: 'agent', id, roles: ['agent'] },
    issuer: 'local',
    scopes: [],
    clearances: [],
    authority: { ...authority, sources: [], markings: [] },
    ...more,
  };
}

/** Calls on the real embedded log and store, with scripted policy, executor and projector. Without HTTP. */
export class CallsOnALog {
  private constructor(
    readonly assembled: AssembledCalls,
    private readonly closing: () => Promise<void>,
  ) {}

  static async open(tools: readonly string[]): Promise<CallsOnALog> {
    const dir = await mkdtemp(path.join(tmpdir(), 'countersign-calls-'));
    const log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), fsync: 'none' });
    await log.ensureTopics(topicSpecs(LANES, 4));
    const store = await PgliteStore.open({ memory: true });
    const codec = new EventCodec();
    const deps: AppDeps = {
      log,
      store,
      codec,
      keys: KeyRing.fromText(Buffer.alloc(32, 7).toString('base64')),
      vault: Vault.inMemory(),
      wake_ups: new InProcessWakeUps(),
      blobs: new FolderBlobs(path.join(dir, 'blobs')),
      results: new InProcessResults(),
      clock: systemClock,
      logger: createLogger('calls', 'silent'),
      metrics: new Registry(),
      tracing: false,
    };
    const [standIn, views] = [new StandIn(log, codec, usualScript), new StandInViews(log, codec, store)];
    await Promise.all([standIn.start(), views.start()]);
    for (const name of tools) await standIn.register(sampleContract({ name }));
    await setTenant(deps);
    const configuration = foldConfiguration(deps);
    await configuration.start();
    const assembled = assemble(deps, configuration);
    await assembled.running.start(LANES);
    return new CallsOnALog(assembled, async () => {
      await assembled.running.close();
      await Promise.all([standIn.close(), views.close(), configuration.close()]);
      await store.close();
      await log.close();
      await rm(dir, { recursive: true, force: true });
    });
  }

  /** Submits a call and resolves with its answer. */
  submit(caller: Caller, request: Partial<CallRequest> & { tool: string }, wait_ms: number): Promise<CallAnswer | Refusal> {
    const by = { caller, idempotency_key: undefined, traceparent: undefined, wait_ms, span_name: 'spec', warns_of_deprecation: true };
    return new Promise((answered, failed) => {
      const sink = { answered, refused: answered, unreadable: (_call_id: string, cause: unknown) => failed(cause) };
      const submitted = this.assembled.calls.submit(callRequest.parse(request), by, sink);
      submitted?.catch(failed);
    });
  }

  close(): Promise<void> {
    return this.closing();
  }
}

async function setTenant({ log, codec }: AppDeps): Promise<void> {
  const limits = { lane: 'shared', weight: 1, running_max: 8, in_flight_max: 100 };
  const principal = { kind: 'service' as const, id: 'spec', roles: [] };
  const event = { meta: firstMeta(TENANT, Date.now()), ...limits, principal, based_on: [] };
  const value = codec.encode('tenant_set', event);
  await log.append([{ topic: CONFIGURATION_TOPIC, partition: 0, key: TENANT, value, headers: { event_type: 'tenant_set' } }]);
}

function assemble(deps: AppDeps, configuration: ReturnType<typeof foldConfiguration>): AssembledCalls {
  const readable = new Readable(undefined, configuration);
  return assembleCalls(deps, {
    configuration,
    writer: new RecordWriter(deps.log),
    views: new Views(deps.store, new AnsweredPositions(), () => deps.clock.monotonic_ms(), readable),
    authority: { of: async () => new Refusal('forbidden', 'no delegation exists') },
    delivery: { send: async () => 'taken' },
    callback_addresses: AddressRules.forCallbacks(false),
  });
}
