import { afterAll, beforeAll, expect, test } from 'vitest';
import { definition, SagaWorld, sequence, step } from './saga-world.js';

let world: SagaWorld;
beforeAll(async () => {
  world = await SagaWorld.open();
}, 60_000);
afterAll(() => world.close());

interface StatusEvent {
  id: number;
  saga: { saga_id: string; status: string; steps: { step_id: string; status: string | null }[] };
}

/** Reads an event stream until it ends. */
class EventReader {
  readonly events: StatusEvent[] = [];
  readonly ended: Promise<void>;
  private text = '';

  constructor(body: ReadableStream<Uint8Array>) {
    this.ended = this.read(body);
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      this.text += decoder.decode(chunk, { stream: true });
      const parts = this.text.split('\n\n');
      this.text = parts.pop() as string;
      for (const part of parts) this.take(part);
    }
  }

  private take(part: string): void {
    const found = /^id: (\d+)\nevent: status\ndata: (.*)$/s.exec(part);
    if (found) this.events.push({ id: Number(found[1]), saga: JSON.parse(found[2] as string) });
  }

  async until(count: number): Promise<void> {
    for (const end = Date.now() + 20_000; this.events.length < count; await new Promise((resolve) => setTimeout(resolve, 10)))
      if (Date.now() > end) throw new Error(`${this.events.length} of ${count} events`);
  }
}

const opened = (saga_id: string, headers: Record<string, string> = {}, key?: string): Promise<Response> =>
  world.fetch(`/v1/sagas/${saga_id}/events`, headers, key);
const follow = async (saga_id: string, headers: Record<string, string> = {}) =>
  new EventReader((await opened(saga_id, headers)).body as ReadableStream<Uint8Array>);

async function started(saga_id: string): Promise<void> {
  const body = { definition: definition(sequence(step('book'), step('pay'))), saga_id };
  expect((await world.send('POST', '/v1/sagas', { body })).status).toBe(202);
}

test('a stream shows the saga at once and after its records, and ends with it', async () => {
  await started('trip-1');
  const reader = await follow('trip-1', await world.seenAll());
  await reader.until(1);
  expect(reader.events[0]?.saga).toMatchObject({ saga_id: 'trip-1', status: 'pending', steps: [] });
  await world.orchestrator.asks('trip-1', 'book');
  await reader.until(2);
  expect(reader.events[1]?.saga).toMatchObject({ status: 'running', steps: [{ step_id: 'book', status: null }] });
  await world.orchestrator.ends('trip-1', 'book');
  await world.orchestrator.asks('trip-1', 'pay');
  await world.orchestrator.ends('trip-1', 'pay');
  await reader.ended;
  expect(reader.events.at(-1)?.saga.status).toBe('completed');
  const ids = reader.events.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
});

test('a broken stream is resumed after the last event; one of an ended saga that was read to its end is 204', async () => {
  await started('trip-2');
  const first = await follow('trip-2', await world.seenAll());
  await first.until(1);
  const last = String(first.events[0]?.id);
  await world.orchestrator.asks('trip-2', 'book');
  const resumed = await follow('trip-2', { ...(await world.seenAll()), 'last-event-id': last });
  await resumed.until(1);
  expect(resumed.events[0]?.saga.status).toBe('running');
  await world.orchestrator.ends('trip-2', 'book', 'failed');
  await Promise.all([first.ended, resumed.ended]);
  expect(resumed.events.at(-1)?.saga.status).toBe('aborted');
  const end = String(resumed.events.at(-1)?.id);
  expect((await opened('trip-2', { ...(await world.seenAll()), 'last-event-id': end })).status).toBe(204);
});

test('a saga that nobody started, or of another tenant, is 404', async () => {
  expect((await opened('nothing')).status).toBe(404);
  await started('trip-3');
  await world.send('POST', '/v1/tenants', { body: { tenant_id: 'globex' } });
  const principal = { kind: 'user', id: 'eve', roles: ['operator'] };
  const { body } = await world.send('POST', '/v1/keys', { body: { tenant_id: 'globex', principal } });
  expect((await opened('trip-3', {}, body.key)).status).toBe(404);
});
