import { failed } from '@countersign/outbound';
import {
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { LineReader } from '../sandbox/line-reader.js';
import { type ProcessTerms, SandboxedProcess } from '../sandbox/sandboxed-process.js';
import { messageOf } from '../thrown-error.js';
import { type Exchange, exchanges } from './exchange.js';
import { TokenBucket } from './token-bucket.js';

/** Lines that are no messages: many programs log to their output. */
const GARBAGE_LINES_MAX = 100;
const BURST_BYTES = 64 * 1024 * 1024;
const BYTES_PER_S = 8 * 1024 * 1024;
const BURST_MESSAGES = 5_000;
const MESSAGES_PER_S = 500;

type Terms = Omit<ProcessTerms, 'onOutput'> & { readonly line_bytes_max: number; readonly has_secrets: boolean };

/** MCP over the input and output of a process: one line of JSON a message. What breaks a bound ends the process. */
export class ProcessTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  /** The library knows by these that silence may mean an earlier revision. */
  readonly stderr = null;
  readonly pid = null;
  private readonly reader: LineReader;
  private readonly bytes = new TokenBucket(BURST_BYTES, BYTES_PER_S);
  private readonly messages = new TokenBucket(BURST_MESSAGES, MESSAGES_PER_S);
  /** Requests without an answer, by id. */
  private readonly asked = new Map<string | number, Exchange>();
  private garbage_lines = 0;
  private is_closing = false;
  private process: SandboxedProcess | undefined;

  constructor(
    private readonly terms: Terms,
    private readonly onEnd: () => void,
  ) {
    this.reader = new LineReader(terms.line_bytes_max);
  }

  async start(): Promise<void> {
    const child = new SandboxedProcess({ ...this.terms, onOutput: (bytes) => this.read(child, bytes) });
    this.process = child;
    void child.ended.then(() => {
      this.onEnd();
      if (!this.is_closing) for (const exchange of this.asked.values()) exchange.ended(`its process ended: ${this.fault}`);
      this.onclose?.();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const exchange = exchanges.getStore();
    const is_request = exchange !== undefined && isJSONRPCRequest(message);
    if (!this.process?.write(`${JSON.stringify(message)}\n`)) throw new Error(this.fault ?? 'its process has ended');
    if (!is_request) return;
    exchange.is_handed_over = true;
    this.asked.set(message.id, exchange);
    exchange.signal.addEventListener('abort', () => this.asked.delete(message.id), { once: true });
  }

  async close(): Promise<void> {
    this.is_closing = true;
    await this.process?.close('its session was closed');
  }

  /** Whether its process ended before it was told to. */
  get ended_by_itself(): boolean {
    return this.process?.ended_by_itself === true;
  }

  /** Why its process has ended, with its last words where they cannot contain a secret. */
  get fault(): string | undefined {
    const { fault, last_words = '' } = this.process ?? {};
    if (fault === undefined || last_words === '') return fault;
    return this.terms.has_secrets ? `${fault}; its output is withheld because it received secrets` : `${fault}: ${last_words}`;
  }

  private read(child: SandboxedProcess, bytes: Buffer): void {
    try {
      if (this.bytes.take(bytes.length)) for (const line of this.reader.take(bytes)) this.take(child, line);
      else child.kill('it floods its output');
    } catch (cause) {
      child.kill(messageOf(cause));
    }
  }

  private take(child: SandboxedProcess, line: Buffer): void {
    if (child.fault !== undefined || line.length === 0) return;
    const message = messageIn(line);
    if (!this.messages.take(1)) child.kill('it floods its output with messages');
    else if (message === undefined) this.takeGarbage(child);
    else if (!isJSONRPCResponse(message) || message.id === undefined || this.isWithin(message.id, line.length)) this.onmessage?.(message);
  }

  private takeGarbage(child: SandboxedProcess): void {
    if (++this.garbage_lines > GARBAGE_LINES_MAX) child.kill(`it wrote more than ${GARBAGE_LINES_MAX} lines that are no messages`);
  }

  /** Takes the request of a response off the list. False: the response is larger than its request allows. */
  private isWithin(id: string | number, bytes: number): boolean {
    const exchange = this.asked.get(id);
    this.asked.delete(id);
    if (!exchange || bytes <= exchange.terms.bytes_max) return true;
    exchange.fail(failed('too_large', `the server answered more than ${exchange.terms.bytes_max} bytes`, { unsent: false }));
    return false;
  }
}

function messageIn(line: Buffer): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(JSON.parse(line.toString()));
  } catch {
    return undefined;
  }
}
