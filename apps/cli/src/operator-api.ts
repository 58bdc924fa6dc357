import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The server refused the request, with the HTTP status, or is unreachable. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }
}

/** Calls the API of a running server with the key of an operator. */
export class Api {
  constructor(
    private readonly base: string,
    private readonly key: string,
  ) {}

  /** @throws Refused if the server refuses the request or does not respond. */
  async ask<T>(method: 'GET' | 'POST', route: string, sent?: unknown): Promise<T> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.key}` };
    if (sent !== undefined) headers['content-type'] = 'application/json';
    const init = sent === undefined ? { method, headers } : { method, headers, body: JSON.stringify(sent) };
    const answer = await fetch(`${this.base}${route}`, init).catch((cause: Error) => {
      throw new Refused(`${this.base} does not respond: ${String((cause.cause as Error | undefined)?.message ?? cause.message)}`);
    });
    const body = (await answer.json().catch(() => ({}))) as T & { detail?: string };
    if (!answer.ok) throw new Refused(`${method} ${route}: ${answer.status} ${body.detail ?? ''}`, answer.status);
    return body;
  }
}

/** The server from the options or else the variables; by default with the admin key. @throws Refused if there is no key */
export async function apiOf(values: { url?: string; key?: string }, env: Readonly<Record<string, string | undefined>>): Promise<Api> {
  const base = values.url ?? (env.COUNTERSIGN_URL || `http://127.0.0.1:${env.COUNTERSIGN_PORT || 7070}`);
  const given = values.key ?? (env.COUNTERSIGN_KEY || undefined);
  if (given !== undefined) return new Api(base, given);
  const file = path.join(env.COUNTERSIGN_DATA_DIR || '.countersign', 'admin.key');
  const key = await readFile(file, 'utf8').catch(() => {
    throw new Refused(`no key: set --key or COUNTERSIGN_KEY, or run the command where ${file} exists`);
  });
  return new Api(base, key.trim());
}
