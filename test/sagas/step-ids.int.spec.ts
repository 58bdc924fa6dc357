import { afterAll, beforeAll, expect, test } from 'vitest';
import { definition, keysOf, SagaWorld } from './saga-world.js';

let world: SagaWorld;
let keys: Awaited<ReturnType<typeof keysOf>>;
beforeAll(async () => {
  world = await SagaWorld.open();
  keys = await keysOf(world);
}, 60_000);
afterAll(() => world.close());

const root = { kind: 'wait', name: 'paid', wait: 'event', subject: 'paid', timeout_ms: 60_000, on_timeout: 'fail' };

test('a step id that no step can have is refused before it is recorded: no store takes its characters', async () => {
  await world.send('POST', '/v1/sagas', { body: { definition: definition(root), saga_id: 'trip' }, key: keys.agent });
  const headers = await world.seenAll();
  const answered = { body: { outcome: 'answered' }, key: keys.agent, headers };
  expect((await world.send('POST', '/v1/sagas/trip/waits/paid', answered)).status).toBe(200);
  for (const step_id of ['a\u0000b', '\u001f', '\u007f'])
    for (const act of ['done-by-hand', 'accept', 'retry', 'pause', 'resume', 'cancel']) {
      const { status, body } = await world.send('POST', `/v1/sagas/trip/${act}`, { body: { step_id, reason: 'It is done.' }, headers });
      expect([act, status, body.validation?.issues.map(({ path }: { path: string }) => path)]).toEqual([act, 400, ['/step_id']]);
    }
  const wait = await world.send('POST', '/v1/sagas/trip/waits/a%00b', answered);
  expect(wait.status).toBe(400);
  expect(await world.events('dead-letter')).toEqual([]);
});
