import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sampleContract } from '@countersign/calls/testing/samples';
import { StandInViews } from '@countersign/calls/testing/stand-in-views';
import { StandIn, usualScript } from '@countersign/calls/testing/stand-ins';
import { EventCodec } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { type AppDeps, createLogger, systemClock, topicSpecs } from '@countersign/process';
import { FolderBlobs, InProcessResults, InProcessWakeUps, KeyRing, PgliteStore, Vault } from '@countersign/store';
import { Registry } from 'prom-client';
import { defaultHttpLimits, type HttpLimits } from '../bounds/http-limits.js';
import { defaultMcpSettings, type McpSettings } from '../mcp/mcp-settings.js';
import { defaultSessionSettings, type SessionSettings } from '../sessions/session-settings.js';
import { type RunningGateway, startGateway } from '../start-gateway.js';

const TOOLS = ['write_note', 'ask_first', 'never', 'unruled', 'doubtful', 'fails'];

export interface Response {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of any shape
  body: any;
}

interface TestSettings {
  http: HttpLimits;
  mcp: McpSettings;
  sessions: SessionSettings;
}

/** A gateway on the real embedded log, with scripted policy, executor and projector behind it. */
export class TestGateway {
  private constructor(
    readonly dir: string,
    readonly deps: AppDeps,
    readonly log: EmbeddedEventLog,
    readonly parts: { standIn: StandIn; views: StandInViews },
    public running: RunningGateway,
    public key: string,
    private readonly settings: TestSettings,
  ) {}

  static async open(
    http: Partial<HttpLimits> = {},
    mcp: Partial<McpSettings> = {},
    session: Partial<SessionSettings> = {},
  ): Promise<TestGateway> {
    const dir = await mkdtemp(path.join(tmpdir(), 'countersign-gateway-'));
    const log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), fsync: 'none' });
    await log.ensureTopics(topicSpecs(['shared'], 4));
    const store = await PgliteStore.open({ memory: true });
    const codec = new EventCodec();
    const keys = KeyRing.fromText(Buffer.alloc(32, 7).toString('base64'));
    const shared = {
      clock: systemClock,
      logger: createLogger('gateway', 'silent'),
      metrics: new Registry(),
      results: new InProcessResults(),
      tracing: false,
    };
    const deps: AppDeps = {
      log,
      store,
      codec,
      keys,
      wake_ups: new InProcessWakeUps(),
      blobs: new FolderBlobs(path.join(dir, 'blobs')),
      vault: Vault.inMemory(),
      ...shared,
    };
    const parts = { standIn: new StandIn(log, codec, usualScript), views: new StandInViews(log, codec, store) };
    await parts.views.start();
    await parts.standIn.start();
    for (const name of TOOLS) await parts.standIn.register(sampleContract({ name }));
    await parts.standIn.register(sampleContract({ name: 'read_note', effect_class: 'read_internal', scopes: ['notes:read'] }));
    await parts.standIn.register(sampleContract({ version: '1.3.0' }));
    await parts.standIn.register(sampleContract({ version: '2.0.0-beta.1' }));
    const limits = { ...defaultHttpLimits, ...http };
    const mcpTerms = { ...defaultMcpSettings, ...mcp };
    const sessions = { ...defaultSessionSettings, ...session };
    const running = await TestGateway.start(deps, dir, { http: limits, mcp: mcpTerms, sessions });
    return new TestGateway(dir, deps, log, parts, running, running.admin_key as string, { http: limits, mcp: mcpTerms, sessions });
  }

  private static start(deps: AppDeps, dir: string, settings: TestSettings): Promise<RunningGateway> {
    return startGateway(deps, {
      host: '127.0.0.1',
      port: 0,
      callback_allow_private: true,
      identity_allow_private: true,
      lanes: ['shared'],
      data_dir: dir,
      ...settings,
      strict_answers: true,
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.running.port}`;
  }

  adminKeyFile(): Promise<string> {
    return readFile(path.join(this.dir, 'admin.key'), 'utf8');
  }

  /** Starts another gateway on the same log; `meanwhile` runs while there is none. */
  async restart(meanwhile?: () => Promise<void>): Promise<void> {
    await this.running.close();
    await meanwhile?.();
    this.deps.metrics.clear(); // as in a new process
    this.running = await TestGateway.start(this.deps, this.dir, this.settings);
  }

  async send(method: string, url: string, body?: unknown, headers: Record<string, string> = {}, key = this.key): Promise<Response> {
    const response = await fetch(this.url + url, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = /json/.test(response.headers.get('content-type') ?? '') && !/ndjson/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, text, body: json && text !== '' ? JSON.parse(text) : undefined };
  }

  /** Reads a response as it arrives: `next` returns the text of one chunk, empty at the end. */
  async stream(url: string): Promise<{ headers: Headers; reader: { next(): Promise<string> } }> {
    const { headers, body } = await fetch(this.url + url, { headers: { authorization: `Bearer ${this.key}` } });
    const chunks = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    return { headers, reader: { next: async () => (await chunks.read()).value ?? '' } };
  }

  /** All events of a topic, by partition. */
  // biome-ignore lint/suspicious/noExplicitAny: events of any shape
  async events(topic: string): Promise<any[]> {
    const found = [];
    for (let partition = 0; partition < this.log.partitions(topic); partition++) {
      const records = await this.log.read(topic, partition, 0, 10_000);
      found.push(...records.map((record) => this.deps.codec.decode(record.value).event));
    }
    return found;
  }

  /** Calls with a unique path, so that every call has a different effect. */
  call(tool: string, inputs: Record<string, unknown> = {}, headers: Record<string, string> = {}, key = this.key): Promise<Response> {
    return this.send('POST', '/v1/calls', { tool, inputs: { path: `p-${Math.random()}`, text: 'x', ...inputs } }, headers, key);
  }

  async keyFor(id: string, roles: string[], more: Record<string, unknown> = {}): Promise<string> {
    const made = await this.send('POST', '/v1/keys', { principal: { kind: 'user', id, roles }, ...more });
    return made.body.key;
  }

  async close(): Promise<void> {
    await this.running.close();
    await this.parts.standIn.close();
    await this.parts.views.close();
    await this.deps.store.close();
    await this.log.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}
