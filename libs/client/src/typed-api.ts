import createClient, { type Client, defaultPathSerializer } from 'openapi-fetch';
import type { paths } from './generated/api.js';

/** Every route of the gateway with typed parameters, body and responses: `api.GET('/v1/calls/{call_id}', { params })`. */
export type TypedApi = Client<paths>;

/** @throws TypeError for a path parameter that would lead to another route */
function pathOf(path: string, parameters: Record<string, unknown>): string {
  for (const [name, value] of Object.entries(parameters)) {
    const text = String(value);
    if (text === '' || text === '.' || text === '..')
      throw new TypeError(`${name} is ${JSON.stringify(text)}: not allowed, because it would address another route`);
  }
  return defaultPathSerializer(path, parameters);
}

/** As `typedApi`, for a page of the gateway itself: the browser adds the session's cookie, and `send` the other headers of a session. */
export function sessionApi(origin: URL, send: (request: Request) => Promise<Response>): TypedApi {
  return createClient<paths>({
    baseUrl: origin.origin,
    fetch: send,
    credentials: 'same-origin',
    redirect: 'manual',
    pathSerializer: pathOf,
  });
}

/** Each call is one request with the key, without retries and timeout. Redirects are not followed, because the key would be sent along. */
export function typedApi(base: URL, key: string, send: typeof fetch): TypedApi {
  return createClient<paths>({
    baseUrl: base.href.replace(/\/+$/, ''),
    headers: { authorization: `Bearer ${key}` },
    fetch: (request) => send(request),
    redirect: 'manual',
    pathSerializer: pathOf,
  });
}
