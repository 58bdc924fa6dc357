import {
  type CallToolResult,
  Client,
  type JsonSchemaValidatorResult,
  type PriorDiscovery,
  type Progress,
  ProtocolError,
  SdkHttpError,
  type Transport,
} from '@modelcontextprotocol/client';
import { messageOf } from '../thrown-error.js';
import { Exchange, exchanges } from './exchange.js';
import { listedPages } from './pages.js';
import { ProcessTransport } from './process-transport.js';
import { Repeated } from './repeated.js';
import type { CalledTool, ListedTool, RefusedTool } from './upstream.js';

const CLIENT = { name: 'countersign', version: '1' };
/** A server of an earlier revision may never answer a question of a later one. */
const PROBE_MS = 5_000;
const PING_MS = 2_000;
/** Most bytes of a handshake, and of one page of a list. */
const HANDSHAKE_BYTES_MAX = 1024 * 1024;
export const LIST_BYTES_MAX = 8 * 1024 * 1024;
const SERVER_TEXT_MAX = 200;

/** Results are checked against the contract, after this. */
const unchecked = {
  getValidator<T>() {
    return (data: unknown): JsonSchemaValidatorResult<T> => ({ valid: true as const, data: data as T, errorMessage: undefined });
  },
};

/** A session could not be opened: nothing was called. */
export class SessionNotOpened extends Error {
  constructor(
    override readonly cause: unknown,
    readonly exchange: Exchange,
  ) {
    super(messageOf(cause));
  }
}

export interface SessionOptions {
  readonly bearer?: string | undefined;
  readonly signal: AbortSignal;
  readonly timeout_ms: number;
  /** What an earlier session with this server has found out. */
  readonly is_legacy?: boolean;
  readonly listChanged: () => void;
}

export interface ListedSession {
  tools: ListedTool[];
  refused: RefusedTool[];
  server: { name: string; version: string };
  protocol_version: string;
}

const shown = (text: string | undefined): string => (text ?? '').slice(0, SERVER_TEXT_MAX);

/**
 * One session with a server, over any transport: the handshake, lists and calls. It declares no capability, so requests of the server for
 * samples, answers of people or folders are refused.
 */
export class McpSession {
  used_at_ms = performance.now();
  is_closed = false;
  /** Whether the server still answers, while that is asked and after it does not. */
  checked: Promise<boolean> | undefined;
  private running = 0;

  private constructor(
    private readonly client: Client,
    private readonly transport: Transport,
  ) {
    client.onclose = () => {
      this.is_closed = true;
    };
  }

  /** @throws SessionNotOpened; the transport is closed then */
  static async open(transport: Transport, options: SessionOptions): Promise<McpSession> {
    const { bearer, signal, timeout_ms } = options;
    const changes = new Repeated(options.listChanged);
    const client = new Client(CLIENT, {
      capabilities: {},
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.min(PROBE_MS, timeout_ms) } },
      inputRequired: { autoFulfill: false },
      listMaxPages: 1,
      jsonSchemaValidator: unchecked,
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changes.happened() } },
    });
    const session = new McpSession(client, transport);
    const exchange = new Exchange({ bytes_max: HANDSHAKE_BYTES_MAX, bearer, signal });
    const prior: { prior?: PriorDiscovery } = options.is_legacy ? { prior: { kind: 'legacy' } } : {};
    try {
      await exchanges.run(exchange, () => client.connect(transport, { signal: exchange.signal, timeout: timeout_ms, ...prior }));
      return session;
    } catch (cause) {
      // A server of an earlier revision refuses the first question, and that is no fault.
      exchange.refusal = cause instanceof SdkHttpError ? { status: cause.status, headers: {}, text: '' } : undefined;
      await transport.close().catch(() => undefined);
      throw new SessionNotOpened(cause, exchange);
    } finally {
      exchange.settle();
    }
  }

  get idle(): boolean {
    return this.running === 0;
  }

  get is_legacy(): boolean {
    return this.client.getProtocolEra() === 'legacy';
  }

  /** Whether the server named the session: then it may forget it. */
  get has_id(): boolean {
    return this.transport.sessionId !== undefined;
  }

  async list(exchange: Exchange, timeout_ms: number): Promise<ListedSession> {
    const pages = await this.counted(exchange, () => listedPages(this.client, { signal: exchange.signal, timeout: timeout_ms }));
    const { name, version } = this.client.getServerVersion() ?? {};
    const server = { name: shown(name), version: shown(version) };
    return { ...pages, server, protocol_version: shown(this.client.getNegotiatedProtocolVersion()) };
  }

  /** Sends the call once. @throws what the library throws; the exchange says whether it was handed over */
  call(
    exchange: Exchange,
    tool: CalledTool,
    inputs: unknown,
    timeout_ms: number,
    progress: (report: Progress) => void,
  ): Promise<CallToolResult> {
    const params = { name: tool.name, arguments: inputs as Record<string, unknown> };
    // With a definition the library neither asks for one, nor sends the call again if the server finds fault with its headers.
    const toolDefinition = { name: tool.name, inputSchema: tool.input_schema as { type: 'object' } };
    const options = { signal: exchange.signal, timeout: timeout_ms, onprogress: progress, toolDefinition };
    return this.counted(exchange, () => this.client.callTool(params, options));
  }

  /** Whether the server still answers, an error included; asked once at a time. A session whose server does not is closed. */
  check(): Promise<boolean> {
    this.checked ??= this.asked()
      .then(
        () => true,
        (cause) => cause instanceof ProtocolError,
      )
      .then((answers) => {
        if (answers) this.checked = undefined;
        else this.is_closed = true;
        return answers;
      });
    return this.checked;
  }

  /** Later revisions have no ping. Over HTTP they have no session that could stall. */
  private asked(): Promise<unknown> {
    const timeout = { timeout: PING_MS };
    if (this.is_legacy) return this.client.ping(timeout);
    return this.transport instanceof ProcessTransport ? this.client.listTools({}, timeout) : Promise.resolve();
  }

  async close(): Promise<void> {
    this.is_closed = true;
    await this.client.close().catch(() => undefined);
  }

  private async counted<T>(exchange: Exchange, request: () => Promise<T>): Promise<T> {
    this.running++;
    try {
      return await exchanges.run(exchange, request);
    } finally {
      exchange.settle();
      this.running--;
      this.used_at_ms = performance.now();
    }
  }
}
