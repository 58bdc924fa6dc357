import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { envelopeText } from '@countersign/calls';
import {
  canonicalText,
  type EventMap,
  firstMeta,
  type Principal,
  type SagaAct,
  sagaKey,
  sagaPartition,
  sha256Hex,
  type TopicEvents,
} from '@countersign/contracts';
import { type SagaDefinition, unpackCall } from '@countersign/domain';
import { BatchDecoder, type Recorded } from '@countersign/event-log';
import { parsePlatformConfig } from '@countersign/process';
import { openPlatform, type Platform } from '@countersign/process/platform';
import { startStandalone } from '@countersign/standalone';
import { parseStandaloneConfig } from '@countersign/standalone/config';
import { changeCircuits, readCall } from '@countersign/store';
import { Api } from '../journeys/api.js';
import { freePort } from '../journeys/child-process.js';

type SagaRecord = Recorded<TopicEvents['compensation']['event_type']>;
type RequestType = TopicEvents['saga-requested']['event_type'];

export const bot: Principal = { kind: 'agent', id: 'bot', roles: ['agent'] };
export const operator: Principal = { kind: 'user', id: 'olga', roles: ['operator'] };

const POLL_MS = 10;
const READ_MAX = 5_000;

/** All five services in this process on an embedded log, driven by the records that the gateway writes, and read by those of the orchestrator. */
export class SagaPlatform {
  private commands = 0;

  private constructor(
    readonly dir: string,
    private readonly env: Record<string, string>,
    private platform: Platform,
    private app: Awaited<ReturnType<typeof startStandalone>>,
  ) {}

  static async open(env: Record<string, string> = {}): Promise<SagaPlatform> {
    const dir = mkdtempSync(path.join(tmpdir(), 'countersign-sagas-'));
    mkdirSync(path.join(dir, 'workspace'));
    const own = { COUNTERSIGN_PORT: String(await freePort()), ...env };
    const { platform, app } = await started(dir, own);
    // The first start divides the folder by tenant.
    mkdirSync(path.join(dir, 'workspace', 'default'), { recursive: true });
    return new SagaPlatform(dir, own, platform, app);
  }

  /** A caller of the gateway with the admin key of the first start. */
  admin(): Api {
    return new Api(`http://127.0.0.1:${this.env.COUNTERSIGN_PORT}`, readFileSync(path.join(this.dir, 'data', 'admin.key'), 'utf8').trim());
  }

  get deps() {
    return this.platform.deps;
  }

  /** Stops all services in order and starts them on the same data; `lose_database`: the tables are lost. */
  async restart({ lose_database = false } = {}): Promise<void> {
    await this.stop();
    if (lose_database) for (const name of ['pg', 'pg.boot']) rmSync(path.join(this.dir, 'data', name), { recursive: true, force: true });
    const { platform, app } = await started(this.dir, this.env);
    this.platform = platform;
    this.app = app;
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  private async stop(): Promise<void> {
    await this.app.close();
    await this.platform.close();
  }

  write(name: string, text: string): void {
    writeFileSync(path.join(this.dir, 'workspace', 'default', name), text);
  }

  /** The text of a file; undefined if there is none. */
  read(name: string): string | undefined {
    const file = path.join(this.dir, 'workspace', 'default', name);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /** Requests a saga as the gateway does. */
  async start(
    saga_id: string,
    definition: SagaDefinition,
    inputs: unknown = {},
    more: Partial<EventMap['saga_requested']> = {},
  ): Promise<void> {
    const definition_json = canonicalText(definition);
    await this.request('saga_requested', saga_id, {
      ...{ is_repeatable: true, request_digest: sha256Hex(definition_json), case_id: null },
      ...{ definition: definition.name, definition_version: definition.version },
      ...{ definition_digest: sha256Hex(definition_json), definition_json, inputs_json: canonicalText(inputs) },
      ...{ deadline_at_ms: null, by: bot, authority: null, undoes: [] },
      ...more,
    });
  }

  /** @returns the command_id */
  control(saga_id: string, act: SagaAct, step_id: string | null = null): Promise<string> {
    return this.request('saga_control_requested', saga_id, { act, step_id, reason: 'a spec', by: operator });
  }

  answer(saga_id: string, step_id: string, answer: unknown, is_refused = false): Promise<string> {
    const answer_json = answer === null ? null : canonicalText(answer);
    return this.request('saga_answer_requested', saga_id, { step_id, is_refused, answer_json, reason: null, by: operator });
  }

  private async request(event_type: RequestType, saga_id: string, fields: object): Promise<string> {
    const { log, codec } = this.deps;
    const now_ms = Date.now() + this.commands++;
    const partition = sagaPartition('default', saga_id, log.partitions('saga-requested'));
    const meta = { ...firstMeta('default', now_ms), partition };
    const event = { meta, saga_id, requested_at_ms: now_ms, ...fields } as unknown as EventMap[RequestType];
    const record = { topic: 'saga-requested', partition, key: sagaKey('default', saga_id), headers: { event_type } };
    await log.append([{ ...record, value: codec.encode(event_type, event) }]);
    return meta.event_id;
  }

  /** Opens the circuit of a tool, as failures that executors reported would. */
  async openCircuit(tool: string, version: string): Promise<void> {
    const now_ms = Date.now();
    const after = { slots: '[]', failing_since_ms: now_ms, openings: 1, opened_at_ms: now_ms, open_until_ms: now_ms + 60_000 };
    await changeCircuits(this.deps.store, [{ tenant_id: 'default', tool, version, revision: null, after }]);
    // Every process reads the circuits once a second.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
  }

  /** Appends the result of an earlier run of a call, as an executor that had lost its claim does: the call took effect after all. */
  async lateResult(call_id: string): Promise<void> {
    const { log, codec } = this.deps;
    const partition = Number(call_id.slice(0, call_id.indexOf('-')));
    const { events } = await new BatchDecoder(codec, undefined).decode(await log.read('tool-executed', partition, 0, READ_MAX));
    const end = events.find(({ event_type, event }) => event_type === 'tool_executed' && event.meta.call_id === call_id);
    if (end?.event_type !== 'tool_executed') throw new Error(`call ${call_id} has not ended`);
    const { meta, outcome } = end.event;
    const happened = { ...outcome, status: 'succeeded', effect: 'happened', error: null, output_json: '{}' } as const;
    const late = { ...end.event, meta: { ...meta, ...firstMeta('default', Date.now()), call_id, partition }, outcome: happened };
    const value = codec.encode('tool_executed', late);
    await log.append([
      { topic: 'tool-executed', partition, key: end.event.idempotency_key, value, headers: { event_type: 'tool_executed' } },
    ]);
  }

  /** A call as its envelope shows it. */
  async envelope(call_id: string): Promise<Record<string, unknown>> {
    for (;;) {
      const row = await readCall(this.deps.store, 'default', call_id);
      const state = row && unpackCall(row.state);
      if (state?.end) return JSON.parse(envelopeText(state, { repeat: false, effect: undefined })) as Record<string, unknown>;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** The records of a saga so far. */
  async records(saga_id: string): Promise<SagaRecord[]> {
    const { log, codec } = this.deps;
    const partition = sagaPartition('default', saga_id, log.partitions('compensation'));
    if ((await log.head('compensation', partition)) === 0) return [];
    const records = await log.read('compensation', partition, 0, READ_MAX);
    const { events } = await new BatchDecoder(codec, undefined).decode(records);
    return (events as SagaRecord[]).filter(({ event }) => event.saga_id === saga_id);
  }

  /** The records once one of them is wanted. @throws Error after `timeout_ms`, with what there is */
  async until(saga_id: string, isWanted: (record: SagaRecord) => boolean, timeout_ms = 30_000): Promise<SagaRecord[]> {
    const end_ms = Date.now() + timeout_ms;
    for (;;) {
      const records = await this.records(saga_id);
      if (records.some(isWanted)) return records;
      if (Date.now() > end_ms)
        throw new Error(`${saga_id}: not within ${timeout_ms} ms; there is ${storyOf(records).join(', ')}; errors: ${errorsOf(records)}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** The story of a saga once it has ended. */
  async ended(saga_id: string, timeout_ms?: number): Promise<string[]> {
    return storyOf(await this.until(saga_id, ({ event_type }) => event_type === 'saga_ended', timeout_ms));
  }

  /** The story of a saga once it has this kind of record. */
  async reaches(saga_id: string, event_type: SagaRecord['event_type'], timeout_ms?: number): Promise<string[]> {
    return storyOf(await this.until(saga_id, (record) => record.event_type === event_type, timeout_ms));
  }
}

/** The errors in these records, for a message. */
function errorsOf(records: readonly SagaRecord[]): string {
  const errors = records.flatMap(({ event }) => ('error' in event && event.error ? [event.error] : []));
  return JSON.stringify(errors).slice(0, 2_000);
}

/** One short line for each record that a spec compares. */
export function storyOf(records: readonly SagaRecord[]): string[] {
  return records.flatMap((record): string[] => {
    switch (record.event_type) {
      case 'saga_started':
        return ['started'];
      case 'saga_step_requested':
        return [`${record.event.step_id}?${record.event.level > 0 ? record.event.level : ''}`];
      case 'saga_step_ended':
        return [`${record.event.step_id} ${record.event.status}`];
      case 'saga_level_skipped':
        return [`${record.event.step_id} skipped: ${record.event.reason}`];
      case 'compensation_requested':
        return [`undo ${record.event.step_id}?`];
      case 'compensation_executed':
        return [`undo ${record.event.step_id} executed`];
      case 'compensation_failed':
        return [`undo ${record.event.step_id} ${record.event.failure}`];
      case 'saga_wait_opened':
        return [`wait ${record.event.step_id}`];
      case 'saga_wait_ended':
        return [`wait ${record.event.step_id} ${record.event.ended_as}`];
      case 'saga_ticket_opened':
        return [`ticket ${record.event.ticket}`];
      case 'saga_controlled':
        return [record.event.act];
      case 'saga_ended':
        return [record.event.status];
      case 'saga_request_refused':
        return [`refused: ${record.event.message}`];
      default:
        return [];
    }
  });
}

async function started(dir: string, more: Record<string, string>) {
  const env = {
    COUNTERSIGN_DATA_DIR: path.join(dir, 'data'),
    COUNTERSIGN_WORKSPACE_ROOT: path.join(dir, 'workspace'),
    COUNTERSIGN_PACKS: 'workspace,probe',
    COUNTERSIGN_LOG_LEVEL: 'error',
    COUNTERSIGN_ORCHESTRATOR_SNAPSHOT_EVERY_MS: '200',
    ...more,
  };
  const platformConfig = configOf(parsePlatformConfig(env));
  const config = configOf(parseStandaloneConfig(env, platformConfig));
  const platform = await openPlatform('standalone', platformConfig);
  const app = await startStandalone(platform.deps, config);
  while (!app.ready()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  return { platform, app };
}

function configOf<C>(parsed: { config: C } | { faults: string[] }): C {
  if ('faults' in parsed) throw new Error(parsed.faults.join('; '));
  return parsed.config;
}
