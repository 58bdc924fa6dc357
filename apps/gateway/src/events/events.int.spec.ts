import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { EventReader } from '../testing/event-reader.js';
import { TestGateway } from '../testing/test-gateway.js';

let gateway: TestGateway;
const open: EventReader[] = [];
beforeAll(async () => {
  gateway = await TestGateway.open();
}, 60_000);
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});
afterAll(async () => {
  await gateway.close();
}, 30_000);

async function read(query = '', key = gateway.key, last_id = ''): Promise<EventReader> {
  const reader = await EventReader.open(`${gateway.url}/v1/events${query}`, key, last_id);
  open.push(reader);
  return reader;
}

test('a stream starts with its cursor, and names what changes with its status in the views', async () => {
  const reader = await read('?kinds=call');
  const [ready] = await reader.until(1);
  expect(ready).toMatchObject({ event: 'ready', data: { cursor: ready?.id, kinds: ['call'] } });
  const { body } = await gateway.call('write_note');
  const event = await reader.find(({ data }) => data.id === body.call_id && data.event_type === 'tool_executed');
  expect(Object.keys(event.data).sort()).toEqual(['at', 'event_type', 'id', 'kind', 'position', 'status']);
  expect(event.data).toMatchObject({
    kind: 'call',
    event_type: 'tool_executed',
    position: expect.stringMatching(/^tool-executed:\d:\d+$/),
  });
});
