import { ToolError } from '@countersign/tool-kit';
import { exchange } from '../hermes/exchange.js';
import type { Pace } from '../hermes/pace.js';
import type { Values } from '../hermes/port.js';

const MESSAGE_MAX = 300;

export interface OdooPlace {
  /** `https://host` */
  url: URL;
  database: string;
}

/** The body of an error. `debug` has stack traces and data of the server: it is never read. */
interface OdooError {
  name?: unknown;
  message?: unknown;
}

/** Odoo's `/json/2`: arguments by name, a bearer key, and a transaction for each call. */
export class OdooApi {
  constructor(
    private readonly place: OdooPlace,
    private readonly key: () => Promise<string>,
    private readonly pace: Pace,
  ) {}

  async call<T>(model: string, method: string, named: Values, signal: AbortSignal, context: Values = {}): Promise<T> {
    const { url, database } = this.place;
    const headers = { authorization: `bearer ${await this.key()}`, 'x-odoo-database': database };
    const body = JSON.stringify({ ...named, context: { lang: 'en_US', ...context } });
    const answer = await this.pace.within(() => exchange(new URL(`/json/2/${model}/${method}`, url), headers, body, signal));
    if (answer.status === 200) return parsed(answer.body) as T;
    throw errorOf(answer.status, saidBy(answer.body), answer.retry_after_s);
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new ToolError('PROVIDER_ERROR', 'the answer of Odoo is not JSON', { class: 'server' });
  }
}

/** What an error says; null where a proxy answered in the place of Odoo. */
function saidBy(body: string): OdooError | null {
  try {
    return JSON.parse(body) as OdooError | null;
  } catch {
    return null;
  }
}

/** An error by the taxonomy. Odoo rolls the transaction of a call back that it answers with 4xx. */
function errorOf(status: number, error: OdooError | null, retry_after_s: number | undefined): ToolError {
  const text = String(error?.message ?? '').slice(0, MESSAGE_MAX);
  const details = { reason: String(error?.name ?? '').slice(0, 100), status };
  if (status === 401)
    return new ToolError('AUTH_REQUIRED', 'Odoo does not accept the API key: it lives at most three months, rotate it', { effect: 'none' });
  if (status === 403)
    return new ToolError('PROVIDER_ERROR', `Odoo forbids it: ${text}`, { class: 'authorization', details, effect: 'none' });
  if (status === 404)
    return new ToolError('PROVIDER_ERROR', `Odoo does not have it: ${text}`, { class: 'not_found', details, effect: 'none' });
  if (status === 429)
    return new ToolError('RATE_LIMIT', 'Odoo asks to wait', { retryable: true, retry_after_s: retry_after_s ?? 1, effect: 'none' });
  if (status < 500) return new ToolError('PROVIDER_ERROR', `Odoo refuses: ${text}`, { class: 'semantic', details, effect: 'none' });
  return new ToolError('PROVIDER_ERROR', `Odoo failed with status ${status}`, { class: 'server', details });
}
