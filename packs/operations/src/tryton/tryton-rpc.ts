import { ToolError } from '@countersign/tool-kit';
import { exchange } from '../hermes/exchange.js';
import type { Pace } from '../hermes/pace.js';

const MESSAGE_MAX = 300;
const EXPIRED = 401;

export interface TrytonLogin {
  /** `http://host/<database>/` */
  url: URL;
  user: string;
  company: number;
}

/** Errors that Tryton answers with status 200; each means that its transaction was rolled back. */
const SEMANTIC = ['UserError', 'UserWarning', 'ConcurrencyException', 'AccessError'];

/** Tryton's JSON-RPC as one user: logs in, and again when the session has expired. */
export class TrytonRpc {
  private session: Promise<string> | undefined;
  private numbers = 0;

  constructor(
    private readonly login: TrytonLogin,
    private readonly password: () => Promise<string>,
    private readonly pace: Pace,
  ) {}

  /** Calls `model.<model>.<method>`; the context is the last parameter. */
  async call<T>(method: string, parameters: unknown[], signal: AbortSignal, context: Record<string, unknown> = {}): Promise<T> {
    const all = [...parameters, { company: this.login.company, language: 'en', ...context }];
    const used = this.session ?? this.logIn(signal);
    const first = await this.send(`model.${method}`, all, await used, signal);
    if (first.status !== EXPIRED) return resultOf<T>(first);
    // Nothing ran under a session that is not accepted.
    if (this.session === used) this.session = undefined;
    const second = await this.send(`model.${method}`, all, await (this.session ?? this.logIn(signal)), signal);
    return resultOf<T>(second);
  }

  private logIn(signal: AbortSignal): Promise<string> {
    const session = this.newSession(signal);
    this.session = session;
    session.catch(() => {
      if (this.session === session) this.session = undefined;
    });
    return session;
  }

  private async newSession(signal: AbortSignal): Promise<string> {
    const { user } = this.login;
    const answer = await this.send('common.db.login', [user, { password: await this.password() }, 'en'], undefined, signal);
    if (answer.status === EXPIRED || answer.status === 403) throw notLoggedIn();
    const result = resultOf<[number, string] | null>(answer);
    if (!result) throw notLoggedIn();
    return `Session ${Buffer.from(`${user}:${result[0]}:${result[1]}`).toString('base64')}`;
  }

  private send(method: string, params: unknown[], authorization: string | undefined, signal: AbortSignal) {
    const body = JSON.stringify({ id: ++this.numbers, method, params });
    return this.pace.within(() => exchange(this.login.url, authorization ? { authorization } : {}, body, signal));
  }
}

function notLoggedIn(): ToolError {
  return new ToolError('AUTH_REQUIRED', 'Tryton does not accept the user or the password of this tenant', { effect: 'none' });
}

/** @throws ToolError by the taxonomy */
function resultOf<T>({ status, body, retry_after_s }: { status: number; body: string; retry_after_s: number | undefined }): T {
  if (status === 429)
    throw new ToolError('RATE_LIMIT', 'Tryton asks to wait', { retryable: true, retry_after_s: retry_after_s ?? 1, effect: 'none' });
  if (status === EXPIRED) throw notLoggedIn();
  if (status === 403)
    throw new ToolError('PROVIDER_ERROR', 'Tryton does not offer this method to this user', { class: 'authorization', effect: 'none' });
  if (status !== 200) throw new ToolError('PROVIDER_ERROR', `Tryton answered with status ${status}`, { class: 'server' });
  const answer = answerOf(body);
  if (answer.error === undefined) return answer.result as T;
  const [name, message] = [answer.error].flat() as unknown[];
  // A warning has the key under which people silence it before its text.
  const at = name === 'UserWarning' ? 1 : 0;
  const text = String(Array.isArray(message) ? message[at] : (message ?? name)).slice(0, MESSAGE_MAX);
  if (SEMANTIC.includes(String(name)))
    throw new ToolError('PROVIDER_ERROR', `Tryton refuses: ${text}`, {
      class: 'semantic',
      details: { reason: String(name) },
      effect: 'none',
    });
  throw new ToolError('PROVIDER_ERROR', `Tryton failed: ${String(name).slice(0, MESSAGE_MAX)}`, { class: 'server', effect: 'none' });
}

function answerOf(body: string): { result?: unknown; error?: unknown } {
  try {
    return JSON.parse(body) as { result?: unknown; error?: unknown };
  } catch {
    throw new ToolError('PROVIDER_ERROR', 'the answer of Tryton is not JSON', { class: 'server' });
  }
}
