import { afterAll, beforeAll, expect, test } from 'vitest';
import { EmbeddedPlatform } from './embedded-platform.js';
import { Receiver } from './receiver.js';
import { placesOf, setAside } from './set-aside.js';

let platform: EmbeddedPlatform;
let receiver: Receiver;
beforeAll(async () => {
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_CALLBACK_ALLOW_PRIVATE: 'true' });
  receiver = await Receiver.start();
});
afterAll(async () => {
  await platform?.close();
  await receiver?.stop();
});

interface Letters {
  items: { letter_id: string; consumer: string; requeue: { reason: string } | null; requeue_refusal: string | null }[];
}

test('a notification that no channel got is sent after a requeue, once, and a call is never handled twice', async () => {
  const admin = platform.admin();
  const agent = await admin.keyFor('agent', 'cleaner', ['agent']);
  await agent.call({ tool: 'write_file', inputs: { path: 'old.txt', content: 'x', mode: 'create' } });
  const asked = await agent.call({ tool: 'delete_file', inputs: { path: 'old.txt' } }, { prefer: 'wait=5' });
  expect(asked.body.status).toBe('pending_approval');

  const [place] = await placesOf(platform, 'policy-decided', 'approval_requested');
  const [decided] = await placesOf(platform, 'policy-decided', 'policy_decided');
  await setAside(platform, [
    { cause: 'the channel is unknown', consumer: 'gateway-notices', ...(place as NonNullable<typeof place>) },
    { cause: 'no such field', consumer: 'executor', ...(decided as NonNullable<typeof decided>) },
  ]);
  expect((await admin.request('POST', '/v1/webhooks', { url: receiver.url, types: ['approval.*'] })).status).toBe(201);
  const letters = async () => (await admin.request<Letters>('GET', '/v1/dead-letters')).body.items;
  const notice = (await letters()).find(({ consumer }) => consumer === 'gateway-notices') as Letters['items'][number];
  const run = (await letters()).find(({ consumer }) => consumer === 'executor') as Letters['items'][number];

  const requeue = (id: string) => admin.request('POST', `/v1/dead-letters/${id}/requeue`, { reason: 'the channel is there now' });
  expect([(await requeue(notice.letter_id)).status, (await requeue(notice.letter_id)).body]).toMatchObject([200, { repeated: true }]);
  const [message] = await receiver.received(1);
  expect(JSON.parse(message?.body ?? '{}')).toMatchObject({ type: 'approval.requested' });

  const refused = await requeue(run.letter_id);
  expect([refused.status, refused.body]).toMatchObject([409, { reason: 'dead_letter_not_repeatable' }]);
  expect((await letters()).map(({ consumer, requeue: done }) => [consumer, done?.reason])).toEqual([
    ['executor', undefined],
    ['gateway-notices', 'the channel is there now'],
  ]);

  await agent.call({ tool: 'write_file', inputs: { path: 'other.txt', content: 'x', mode: 'create' } });
  await agent.call({ tool: 'delete_file', inputs: { path: 'other.txt' } }, { prefer: 'wait=1' });
  const bodies = (await receiver.received(2)).map(({ body }) => JSON.parse(body) as { type: string });
  expect(bodies.map(({ type }) => type)).toEqual(['approval.requested', 'approval.requested']);
});
