import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestGateway } from '../testing/test-gateway.js';

/** A receiver that responds on command. */
class SlowReceiver {
  readonly bodies: string[] = [];
  readonly ids: string[] = [];
  private readonly held: ServerResponse[] = [];
  private readonly server: Server = createServer((request, response) => {
    this.ids.push(String(request.headers['webhook-id']));
    request.setEncoding('utf8').on('data', (text: string) => this.bodies.push(text));
    request.on('end', () => (this.status === undefined ? this.held.push(response) : response.writeHead(this.status).end()));
  });

  /** Undefined: responses wait for `answer`. */
  constructor(private status?: number) {}

  async open(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Responds to waiting and all later requests. */
  answer(status: number): void {
    this.status = status;
    for (const response of this.held.splice(0)) response.writeHead(status).end();
  }

  async got(count: number): Promise<void> {
    for (const until = Date.now() + 10_000; this.ids.length < count; await sleep(20))
      if (Date.now() > until) throw new Error(`${this.ids.length} of ${count} notices`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

let gateway: TestGateway;
let before: SlowReceiver;
let after: SlowReceiver;
beforeAll(async () => {
  gateway = await TestGateway.open();
}, 60_000);
afterAll(() => gateway.close(), 30_000);
beforeEach(async () => {
  before = await new SlowReceiver().open();
  after = await new SlowReceiver(204).open();
});
afterEach(async () => {
  await before.close();
  await after.close();
});

const types = ['approval.*'];
const make = async (): Promise<string> => {
  const made = await gateway.send('POST', '/v1/webhooks', { url: before.url, types });
  expect(made.status).toBe(201);
  return `/v1/webhooks/${made.body.webhook_id}`;
};

test('a channel whose old address answers 410 after an edit stays active, and the new address gets all notifications', async () => {
  const webhook = await make();
  await gateway.call('ask_first');
  await before.got(1);
  expect((await gateway.send('PUT', webhook, { url: after.url, types })).status).toBe(200);
  before.answer(410);
  await after.got(1);
  expect(after.ids).toEqual(before.ids);
  await gateway.call('ask_first');
  await after.got(2);
  expect(await gateway.send('GET', webhook)).toMatchObject({ status: 200, body: { state: 'active', url: after.url } });
  expect(before.ids).toHaveLength(1);
  await gateway.send('DELETE', webhook);
});

test('the same response without an edit disables the channel; enabled with another address it gets messages again', async () => {
  const webhook = await make();
  before.answer(410);
  await gateway.call('ask_first');
  const state = async () => (await gateway.send('GET', webhook)).body.state as string;
  for (const until = Date.now() + 10_000; (await state()) !== 'disabled'; await sleep(20)) expect(Date.now()).toBeLessThan(until);
  await gateway.send('PUT', webhook, { url: after.url, types, state: 'active' });
  await gateway.call('ask_first');
  await after.got(1);
  expect([await state(), before.ids.length]).toEqual(['active', 1]);
  await gateway.send('DELETE', webhook);
});

test('a channel that was disabled or deleted while its address failed stays as its operator left it', async () => {
  const [off, deleted] = [await make(), await make()];
  await gateway.call('ask_first');
  await before.got(2);
  await gateway.send('PUT', off, { url: before.url, types, state: 'disabled', description: 'by hand' });
  await gateway.send('DELETE', deleted);
  before.answer(410);
  await sleep(1500);
  expect((await gateway.send('GET', off)).body).toMatchObject({ state: 'disabled', description: 'by hand' });
  expect((await gateway.send('GET', deleted)).status).toBe(404);
  expect(before.ids).toHaveLength(2);
  await gateway.send('DELETE', off);
});
