import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Api } from './api.js';
import { DistributedPlatform } from './distributed-platform.js';

let counterparty: Counterparty;
let serial = 0;
const order = (more: Record<string, unknown> = {}) => ({ account: `lane-${++serial}`, amount: 5, note: 'lanes', ...more });

beforeAll(async () => {
  counterparty = await Counterparty.start();
});
afterAll(() => counterparty.stop());

/** Sends orders at a steady pace until told to stop; how each ended and how long it took. */
class Traffic {
  readonly took_ms: number[] = [];
  readonly statuses: string[] = [];
  private running = true;
  private readonly done: Promise<unknown>;

  constructor(api: Api, workers: number, pause_ms: number, more: Record<string, unknown> = {}) {
    this.done = Promise.all(Array.from({ length: workers }, () => this.loop(api, pause_ms, more)));
  }

  async stop(): Promise<void> {
    this.running = false;
    await this.done;
  }

  private async loop(api: Api, pause_ms: number, more: Record<string, unknown>): Promise<void> {
    while (this.running) {
      const started = performance.now();
      const { status, body } = await api.call({ tool: 'probe_http_effect', inputs: order(more) }, { prefer: 'wait=60' });
      this.took_ms.push(performance.now() - started);
      this.statuses.push(status < 300 ? body.status : String(status));
      await sleep(pause_ms);
    }
  }
}

const p99 = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;

describe('two lanes, an executor each', () => {
  test("one lane's executor is killed: the other tenant feels nothing, and the killed lane goes on when it is back", async () => {
    const platform = await DistributedPlatform.create({ COUNTERSIGN_PROBE_URL: counterparty.url, COUNTERSIGN_LANES: 'shared,acme' });
    try {
      for (const app of ['policy', 'projector', 'gateway']) await platform.add(app, app);
      await platform.add('executor-shared', 'executor', { COUNTERSIGN_LANES: 'shared' });
      await platform.add('executor-acme', 'executor', { COUNTERSIGN_LANES: 'acme' });
      await platform.ready();
      const admin = platform.admin();
      expect((await admin.request('POST', '/v1/tenants', { tenant_id: 'acme', lane: 'acme' })).status).toBeLessThan(300);
      const acme = await admin.keyFor('agent', 'a', ['agent'], 'acme');
      const shared = await admin.keyFor('agent', 's', ['agent']);
      expect((await acme.call({ tool: 'probe_http_effect', inputs: order() })).body.status).toBe('succeeded');
      const calm = new Traffic(shared, 2, 20);
      await sleep(4000);
      await platform.member('executor-acme').stop('SIGKILL');
      const stranded = acme.call({ tool: 'probe_http_effect', inputs: order() }, { prefer: 'wait=60' });
      const before = calm.took_ms.length;
      await sleep(4000);
      await calm.stop();
      expect(new Set(calm.statuses)).toEqual(new Set(['succeeded']));
      console.log(
        `other lane: p99 ${p99(calm.took_ms.slice(0, before)).toFixed(0)} ms before the kill, ${p99(calm.took_ms.slice(before)).toFixed(0)} ms after`,
      );
      platform.restart('executor-acme');
      expect((await stranded).body.status).toBe('succeeded');
      expect((await counterparty.stats()).duplicates).toEqual([]);
    } finally {
      await platform.close();
    }
  }, 240_000);
});

describe('one to four executors on one lane', () => {
  test('the rate and the rebalance time are printed; one is killed: no effect twice, no healthy running write put in doubt', async () => {
    const platform = await DistributedPlatform.start({ COUNTERSIGN_PROBE_URL: counterparty.url });
    try {
      const agent = await platform.admin().keyFor('agent', 'a', ['agent']);
      for (let executors = 1; executors <= 4; executors++) {
        if (executors > 1) {
          const joined = performance.now();
          await platform.add(`executor-${executors}`, 'executor');
          await platform.ready(`executor-${executors}`);
          console.log(`executor ${executors} ready after ${(performance.now() - joined).toFixed(0)} ms`);
        }
        const traffic = new Traffic(agent, 16, 0);
        await sleep(3000);
        await traffic.stop();
        expect(new Set(traffic.statuses)).toEqual(new Set(['succeeded']));
        console.log(
          `${executors} executors: ${(traffic.statuses.length / 3).toFixed(0)} calls/s, slowest ${Math.max(...traffic.took_ms).toFixed(0)} ms`,
        );
      }
      const traffic = new Traffic(agent, 16, 0, { answer_delay_ms: 300 });
      await sleep(2000);
      await platform.member('executor-3').stop('SIGKILL');
      await sleep(2000);
      await traffic.stop();
      console.log(`after the kill the slowest call took ${Math.max(...traffic.took_ms).toFixed(0)} ms`);
      expect(traffic.statuses.filter((status) => status !== 'succeeded')).toEqual([]);
      expect((await counterparty.stats()).duplicates).toEqual([]);
    } finally {
      await platform.close();
    }
  }, 300_000);
});
