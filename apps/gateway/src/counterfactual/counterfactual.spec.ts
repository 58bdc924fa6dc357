import { Views } from '@countersign/calls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FeatureApp } from '../testing/feature-app.js';
import { CounterfactualModule } from './counterfactual.module.js';
import { CounterfactualDecider } from './counterfactual-decider.js';

/** Views with no case and no call. */
const views = { current: async () => true, store: { query: async () => [] } };

let app: FeatureApp;
beforeAll(async () => {
  app = await FeatureApp.open(
    [CounterfactualModule],
    [
      { provide: CounterfactualDecider, useValue: {} },
      { provide: Views, useValue: views },
    ],
  );
});
afterAll(() => app.close());
const ask = (body: unknown) => app.send('POST', '/v1/counterfactual', { role: 'auditor', body });

test('a time range without calls gets an empty response of the same form', async () => {
  const { status, body } = await ask({ changes: [] });
  expect([status, body.calls, body.next_cursor]).toEqual([200, 0, null]);
  expect((await app.send('POST', '/v1/cases/none/counterfactual', { role: 'auditor', body: { changes: [] } })).status).toBe(404);
});

test('operators, auditors and policy admins may use it', async () => {
  expect((await app.send('POST', '/v1/counterfactual', { role: 'agent', body: { changes: [] } })).status).toBe(403);
  expect((await app.send('POST', '/v1/counterfactual', { body: { changes: [] } })).status).toBe(401);
});

test('too many changes, an invalid cursor, an empty range and deep nesting are refused with their paths', async () => {
  const paths = async (body: unknown) => (await ask(body)).body.validation.issues.map((issue: { path: string }) => issue.path);
  expect(await paths({ changes: Array.from({ length: 51 }, () => ({ nonsense: 1 })) })).toEqual(['/changes']);
  expect(await paths({ changes: [], cursor: 'x' })).toEqual(['/cursor']);
  expect(await paths({ changes: [], from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' })).toEqual(['/to']);
  const [deep] = await paths({ changes: JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) as unknown });
  expect(deep).toMatch(/^\/changes\/0\/0/);
});
