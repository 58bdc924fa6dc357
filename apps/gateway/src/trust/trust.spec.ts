import { Views } from '@countersign/calls';
import { sampleContract } from '@countersign/calls/testing/samples';
import { evolveConfiguration, initialConfiguration, type PlacedEvent } from '@countersign/domain';
import { TrustScores } from '@countersign/process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { TrustModule } from './trust.module.js';
import { TrustReader } from './trust-reader.js';

const state = initialConfiguration();
const meta = { tenant_id: 'acme' };
const contract_json = JSON.stringify(sampleContract());
const registered = {
  name: 'write_note',
  version: '1.2.0',
  digest: 'd',
  contract_json,
  lanes: ['shared'],
  executor_id: 'e1',
  registered_at_ms: 7,
};
for (const at of [
  {
    event_type: 'tenant_set',
    topic: 'configuration-changed',
    event: { meta, lane: 'shared', weight: 1, running_max: 1, in_flight_max: 1 },
  },
  { event_type: 'tool_registered', topic: 'tool-registered', event: { meta, ...registered, gated: false } },
])
  evolveConfiguration(state, { ...at, partition: 0, offset: 0, timestamp_ms: 1 } as unknown as PlacedEvent);

const rated = { rater: 'user:eve', rating: 4, comment: null, by: { kind: 'user', id: 'eve' }, rated_at_ms: 5, version: '1.2.0' };
/** A tenant without runs, in which one person has rated. */
const reader = {
  of: async () => ({ scores: new TrustScores(new Map(), 1_000), bound: undefined }),
  spans: async () => [],
  runs: async () => [
    {
      topic: 'tool-executed',
      partition: 0,
      offset: 3,
      runs: true,
      principal: 'agent:a',
      succeeded: true,
      verified: false,
      valid: true,
      timely: true,
      sound: true,
    },
  ],
  ratings: async () => [rated],
  hasUsed: async () => false,
  hasTopic: () => false,
  parts: { trustScores: { scores: new Map() } },
};

let app: FeatureApp;
beforeAll(async () => {
  app = await FeatureApp.open(
    [TrustModule],
    [
      { provide: TrustReader, useValue: reader },
      { provide: ConfigurationService, useValue: { state } },
      { provide: Views, useValue: { current: async () => true } },
    ],
  );
});
afterAll(() => app.close());
const get = (url: string, role: 'agent' | 'auditor' = 'agent') => app.send('GET', url, { role });

test('a version that never ran has no score, with the reason', async () => {
  const { status, body } = await get('/v1/tools/write_note/trust');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    tool: 'write_note',
    version: '1.2.0',
    score: null,
    unscored: 'never_run',
    told: null,
    events: { count: 0 },
  });
  expect((await get('/v1/tools/none/trust')).status).toBe(404);
});

test('the runs behind it have log positions, one page at a time', async () => {
  const { body } = await get('/v1/tools/write_note/trust/events?limit=1');
  expect(body.items).toMatchObject([{ position: 'tool-executed:0:3', principal: 'agent:a', succeeded: true }]);
  expect((await get(`/v1/tools/write_note/trust/events?cursor=${body.next_cursor}`)).status).toBe(200);
  expect((await get('/v1/tools/write_note/trust/events?cursor=x')).body.validation.issues[0].path).toBe('/cursor');
});

test('a past moment must exist', async () => {
  const path = async (query: string) => (await get(`/v1/trust/providers/local?${query}`)).body.validation.issues[0].path;
  expect(await path('as_of=yesterday')).toBe('/as_of');
  expect(await path('at_offset=none:0:1')).toBe('/at_offset');
  expect(await path('as_of=2026-01-01T00:00:00Z&at_offset=a:0:1')).toBe('/at_offset');
});

test('scores of agents are visible to operators and auditors; ratings are read by all and given by users of the tool', async () => {
  expect((await get('/v1/trust/agents/a')).status).toBe(403);
  expect((await app.send('GET', '/v1/tools/write_note/ratings')).status).toBe(401);
  expect((await get('/v1/tools/write_note/ratings')).body.items).toMatchObject([{ rater: 'user:eve', rating: 4 }]);
  expect((await app.send('POST', '/v1/tools/write_note/ratings', { role: 'agent', body: { rating: 6 } })).status).toBe(400);
  const refused = await app.send('POST', '/v1/tools/write_note/ratings', { role: 'agent', body: { rating: 3 } });
  expect(refused).toMatchObject({ status: 403, body: { code: 'AUTH_REQUIRED' } });
});
