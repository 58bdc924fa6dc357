import { afterAll, beforeAll, expect, test } from 'vitest';
import { definition, keysOf, SagaWorld } from './saga-world.js';

let world: SagaWorld;
let keys: Awaited<ReturnType<typeof keysOf>>;
beforeAll(async () => {
  world = await SagaWorld.open();
  keys = await keysOf(world);
}, 60_000);
afterAll(() => world.close());

const answer_schema = {
  type: 'object',
  properties: { amount: { type: 'integer' }, currency: { type: 'string', default: 'EUR' } },
  required: ['amount'],
};
const root = { kind: 'wait', name: 'paid', wait: 'event', subject: 'paid', timeout_ms: 60_000, on_timeout: 'fail', answer_schema };

test('an answer that does not fit the schema of its wait is refused with its place; one that fits gets the defaults', async () => {
  const { status } = await world.send('POST', '/v1/sagas', { body: { definition: definition(root), saga_id: 'trip' }, key: keys.agent });
  expect(status).toBe(202);
  const headers = await world.seenAll();
  const { body } = await world.send('GET', '/v1/sagas/trip', { headers });
  expect(body.waits).toMatchObject([{ step_id: 'paid', answer_schema, answer_at: '/v1/sagas/trip/waits/paid' }]);
  const answers = (more: object) =>
    world.send('POST', '/v1/sagas/trip/waits/paid', { body: { outcome: 'answered', ...more }, key: keys.agent, headers });
  expect(await answers({ answer: { amount: 'much' } })).toMatchObject({
    status: 422,
    body: { validation: { issues: [{ path: '/amount' }] } },
  });
  expect((await answers({})).status).toBe(422);
  expect((await answers({ answer: { amount: 5 } })).status).toBe(200);
  const [ended] = (await world.events('compensation')).filter((event) => event.ended_as === 'answered');
  expect(JSON.parse(ended.answer_json)).toEqual({ amount: 5, currency: 'EUR' });
});

test('a schema that cannot be used is a fault of the definition, with its place', async () => {
  const wrong = { ...root, answer_schema: { type: 'nothing' } };
  const { status, body } = await world.send('POST', '/v1/sagas', { body: { definition: definition(wrong) }, key: keys.agent });
  expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('/root/answer_schema')]);
});
