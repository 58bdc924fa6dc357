import { createServer, type Server } from 'node:http';
import { Masker } from '@countersign/outbound';
import { describe, expect, test } from 'vitest';
import type { Api } from '../journeys/api.js';
import { canaries, ENCODINGS, HOWS, leaks } from './canaries.js';

/** Receives the spans that a platform exports. */
export class SpanCollector {
  readonly spans: string[] = [];

  private constructor(private readonly server: Server) {}

  static async open(): Promise<SpanCollector> {
    const server = createServer((request, response) => {
      request.on('data', (chunk) => collector.spans.push(String(chunk)));
      request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    });
    const collector = new SpanCollector(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return collector;
  }

  /** Environment of a platform that sends its spans here and logs everything. */
  get env(): Record<string, string> {
    const { port } = this.server.address() as { port: number };
    return {
      COUNTERSIGN_LOG_LEVEL: 'trace',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '200',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    };
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

export interface CanaryWorld {
  admin(): Api;
  readonly collector: SpanCollector;
  /** The complete output of its processes. */
  output(): string;
  /** Everything that is stored, by the name of its place, in searchable form. */
  kept(): Promise<[place: string, text: string][]>;
}

/** Sets secrets, runs tools that misuse them, and searches everything that anyone could read. */
export function describeCanaries(at: () => CanaryWorld): void {
  const answers: string[] = [];

  async function send(method: string, url: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
    const answer = await at().admin().request(method, url, body);
    answers.push(JSON.stringify(answer.body));
    return answer;
  }
  const probe = (how: string, encoding = 'plain') => send('POST', '/v1/calls', { tool: 'probe_secret', inputs: { how, encoding } });

  const put = (scope: string, n: number, value: string) => send('PUT', `/v1/secrets/${scope}/probe_secret_${n}`, { value });

  describe('secrets', () => {
    test('a call whose secrets are not set has no effect and names who can set them, and operators are notified', async () => {
      const { body } = await probe('return');
      expect(body).toMatchObject({ status: 'failed', error: { code: 'AUTH_REQUIRED' }, effect: 'none' });
      const { reissue } = (body.error as { details: { reissue: { name: string; reason: string; where: string }[] } }).details;
      expect(reissue).toHaveLength(25);
      expect(reissue[0]).toMatchObject({ name: 'probe_secret_0', reason: 'absent', where: 'PUT /v1/secrets/workspace/probe_secret_0' });
    });

    test('the nearest scope counts, an expired secret must be set again, and a secret of the installation causes a warning', async () => {
      await Promise.all(canaries.map(async (value, n) => expect((await put('org', n, value)).status).toBe(201)));
      const org = await probe('safe');
      expect(org.body).toMatchObject({ status: 'succeeded', output: { lengths: canaries.map(({ length }) => length) } });
      expect(org.body.credentials).toContainEqual({ name: 'probe_secret_0', scope: 'org', version: 1 });
      expect((org.body.warnings as string[])[0]).toContain('for the whole installation only');
      expect((await send('GET', '/v1/secrets/probe_secret_0')).body).toMatchObject({ scope: 'org', warning: expect.any(String) });
      const expires_at = new Date(Date.now() + 4_000).toISOString();
      await send('PUT', '/v1/secrets/user/probe_secret_0', { value: canaries[0], expires_at });
      expect((await probe('safe')).body.credentials).toContainEqual({ name: 'probe_secret_0', scope: 'user', version: 1 });
      await new Promise((later) => setTimeout(later, Date.parse(expires_at) - Date.now() + 100));
      expect((await probe('safe')).body.error).toMatchObject({
        code: 'AUTH_REQUIRED',
        details: { reissue: [{ name: 'probe_secret_0', reason: 'expired' }] },
      });
      expect((await send('POST', '/v1/secrets/user/probe_secret_0/rotate', { value: canaries[0] })).body).toMatchObject({ version: 2 });
      await Promise.all(canaries.map((value, n) => put('workspace', n, value)));
      const near = (await probe('safe')).body;
      expect([near.warnings, near.status]).toEqual([[], 'succeeded']);
      expect(near.credentials).toContainEqual({ name: 'probe_secret_1', scope: 'workspace', version: 1 });
    });

    test('25 secrets that a tool returns, throws, prints, logs, attaches and splits, in 5 encodings, appear nowhere', async () => {
      const rotating = send('POST', '/v1/secrets:rotate-keys');
      const read: string[] = [];
      const tried = async (how: string, encoding: string) => {
        const { body } = await probe(how, encoding);
        expect([how, encoding, body.status]).toEqual([how, encoding, how === 'throw' || how === 'refuse' ? 'failed' : 'succeeded']);
        for (const { url } of (body.attachments ?? []) as { url: string }[]) {
          const { status, body: attached } = await at().admin().request('GET', url);
          expect([how, encoding, status]).toEqual([how, encoding, 200]);
          answers.push(JSON.stringify(attached));
          read.push(how);
        }
      };
      for (const how of HOWS) await Promise.all(ENCODINGS.map((encoding) => tried(how, encoding)));
      expect(await rotating).toMatchObject({ status: 200, body: { key_id: 'k2' } });
      for (const url of ['/v1/calls?limit=200&expand=*', '/v1/secrets', '/v1/tools/probe_secret', '/v1/keys', '/metrics', '/readyz'])
        await send('GET', url);
      await new Promise((later) => setTimeout(later, 1_500));
      expect(read.filter((how) => how === 'attach').length).toBeGreaterThanOrEqual(ENCODINGS.length);
      expect(answers.join('')).toContain('[secret]');
      const { collector } = at();
      expect(at().output()).toContain('printed');
      expect(at().output()).toContain('[secret]');
      // Parts of a request follow one another: a secret may cross the border of two.
      const spans = collector.spans.join('');
      expect(spans).toContain('probe_secret');
      const kept = await at().kept();
      expect(kept.some(([, text]) => text.includes('credential_reissue_requested'))).toBe(true);
      const found = [
        ...leaks('answers', answers.join('\n')),
        ...leaks('output', at().output()),
        ...leaks('spans', spans),
        ...kept.flatMap(([place, text]) => leaks(place, text)),
      ];
      expect(found).toEqual([]);
      // Verifies that the search finds the secrets.
      expect(leaks('here', JSON.stringify(canaries))).not.toEqual([]);
      expect(new Masker(canaries).record(canaries)).toEqual(canaries.map(() => '[secret]'));
    });
  });
}
