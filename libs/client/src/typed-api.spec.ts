import { describe, expect, test } from 'vitest';
import { CountersignClient } from './countersign-client.js';

/** A client whose requests are recorded and get this response. */
function clientOf(answer: () => Response, url = 'http://127.0.0.1:7070/base/') {
  const requests: Request[] = [];
  const send = async (input: string | URL | Request, init?: RequestInit) => {
    requests.push(new Request(input, init));
    return answer();
  };
  return { api: new CountersignClient({ url, key: 'k', fetch: send as typeof fetch }).api, requests };
}
const json = (status: number, body: unknown) => () => Response.json(body, { status });

describe('the typed API', () => {
  test("sends the key to the path below the gateway's base URL, and returns the response", async () => {
    const { api, requests } = clientOf(json(200, { call_id: '0-a', status: 'succeeded' }));
    const { data, error } = await api.GET('/v1/calls/{call_id}', { params: { path: { call_id: '0-a' } } });
    expect([data?.status, error]).toEqual(['succeeded', undefined]);
    expect(requests[0]?.url).toBe('http://127.0.0.1:7070/base/v1/calls/0-a');
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer k');
  });

  test('a problem document is the error', async () => {
    const { api } = clientOf(json(404, { title: 'Not Found', status: 404, reason: 'not_found' }));
    const { data, error } = await api.GET('/v1/calls/{call_id}', { params: { path: { call_id: '0-a' } } });
    expect([data, error?.reason]).toEqual([undefined, 'not_found']);
  });

  test.each(['', '.', '..'])(
    'a path parameter %j, which would lead to another route, is refused before anything is sent',
    async (call_id) => {
      const { api, requests } = clientOf(json(200, {}));
      await expect(api.GET('/v1/calls/{call_id}', { params: { path: { call_id } } })).rejects.toThrow(
        /call_id is .*would address another route/,
      );
      expect(requests).toEqual([]);
    },
  );

  test('a slash in a path parameter is escaped', async () => {
    const { api, requests } = clientOf(json(200, {}));
    await api.GET('/v1/calls/{call_id}', { params: { path: { call_id: '../keys?x#y' } } });
    expect(requests[0]?.url).toBe('http://127.0.0.1:7070/base/v1/calls/..%2Fkeys%3Fx%23y');
  });

  test('a redirect is not followed, because the key would be sent along', async () => {
    const { api, requests } = clientOf(json(200, {}));
    await api.GET('/healthz');
    expect(requests[0]?.redirect).toBe('manual');
  });
});
