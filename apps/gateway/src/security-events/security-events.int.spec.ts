import { AnsweredPositions, Views } from '@countersign/calls';
import { PgliteStore } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FeatureApp } from '../testing/feature-app.js';
import { SecurityEventsModule } from './security-events.module.js';

let app: FeatureApp;
let store: PgliteStore;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
  app = await FeatureApp.open(
    [SecurityEventsModule],
    [{ provide: Views, useValue: new Views(store, new AnsweredPositions(), () => performance.now()) }],
  );
}, 60_000);
afterAll(async () => {
  await app.close();
  await store.close();
});

test('without a token it is 401, and without the role 403', async () => {
  expect((await app.send('GET', '/v1/security-events')).status).toBe(401);
  expect((await app.send('GET', '/v1/security-events', { role: 'agent' })).status).toBe(403);
});

test('a filter that does not exist is refused by its name', async () => {
  const { status, body } = await app.send('GET', '/v1/security-events?since=1', { role: 'auditor' });
  expect([status, body.validation.issues[0]]).toMatchObject([400, { path: '/since', code: 'unknown_field' }]);
});

test('a read that is ahead of the views is marked as behind', async () => {
  const headers = { 'countersign-position': 'security-event:0:7', prefer: 'wait=0' };
  const answer = await app.send('GET', '/v1/security-events?kind=role_refused', { role: 'auditor', headers });
  expect([answer.status, answer.body, answer.headers['countersign-views']]).toEqual([200, { items: [], next_cursor: null }, 'behind']);
});
