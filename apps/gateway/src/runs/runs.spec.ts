import { Refusal, Views } from '@countersign/calls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { ReplayBundles } from './replay-bundles.js';
import { RunsModule } from './runs.module.js';

const TERMS = '"terms":{"from_ms":1,"until_ms":2,"allow_for_ms":3,"grant_for_ms":4}';
const PIECES = [
  '{"as_recorded":[],"calls":[],"configuration":[],"counted_elsewhere":{"asks":[],"calls":0,"records":{"count":0,"event_ids_sha256":"","places":[]}},"erased":[],',
  `"format":"countersign-replay/2","records":[],"run_id":"r1",${TERMS},`,
  '"tenant_id":"acme","tools":[],"transcript":null,"trust":[]}',
];
const blob = `${'a'.repeat(64)}.json`;
const bundles = {
  bundle: async (_tenant: string, run_id: string) => (run_id === 'r1' ? PIECES : new Refusal('not-found', 'the run has no calls')),
  transcripts: {
    keep: async () => ({ blob, bytes: 7, messages: 1, kept_at_ms: 5, at: { topic: 'operator-command', partition: 0, offset: 9 } }),
  },
};
const views = { current: async () => true, answered: { note: () => undefined } };

let app: FeatureApp;
beforeAll(async () => {
  app = await FeatureApp.open(
    [RunsModule],
    [
      { provide: ReplayBundles, useValue: bundles },
      { provide: ConfigurationService, useValue: { clock: { now_ms: () => 5 } } },
      { provide: Views, useValue: views },
    ],
  );
});
afterAll(() => app.close());

test('a bundle is sent in chunks, byte for byte, and must not be cached', async () => {
  const { status, text, headers } = await app.send('GET', '/v1/runs/r1/replay-bundle', { role: 'auditor' });
  expect([status, text, headers['cache-control']]).toEqual([200, PIECES.join(''), 'no-store']);
  expect((await app.send('GET', '/v1/runs/r2/replay-bundle', { role: 'auditor' })).status).toBe(404);
  expect((await app.send('GET', '/v1/runs/r1/replay-bundle', { role: 'agent' })).status).toBe(403);
});

test('a transcript is stored; one that is nested too deeply is refused with its path before validation', async () => {
  const keep = (body: unknown) => app.send('PUT', '/v1/runs/r1/transcript', { role: 'agent', body });
  const kept = await keep({ prompt: 'p', messages: [{ role: 'user', prototype: { a: 1 } }] });
  expect(kept).toMatchObject({ status: 200, headers: { 'countersign-position': 'operator-command:0:9' } });
  expect(kept.body).toEqual({ run_id: 'r1', blob, bytes: 7, messages: 1, digest: 'a'.repeat(64), kept_at: '1970-01-01T00:00:00.005Z' });
  const deep = JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) as unknown;
  const [issue] = (await keep({ prompt: 'p', messages: deep })).body.validation.issues;
  expect(issue.code).toBe('too_deep');
  expect(issue.path).toMatch(/^\/messages\/0\/0/);
  expect((await app.send('PUT', `/v1/runs/${'r'.repeat(201)}/transcript`, { role: 'agent', body: {} })).status).toBe(400);
  expect((await app.send('PUT', '/v1/runs/r1/transcript', { body: {} })).status).toBe(401);
});
