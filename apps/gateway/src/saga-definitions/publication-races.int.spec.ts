import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answered, GatewaysOnOneLog } from '../testing/gateways-on-one-log.js';

const ROUNDS = 5;

let rig: GatewaysOnOneLog;
beforeAll(async () => {
  rig = await GatewaysOnOneLog.open(2, ['write_note']);
}, 60_000);
afterAll(() => rig.close());

const root = { kind: 'wait', name: 'pause', wait: 'time', timeout_ms: 1000, on_timeout: 'continue' };
const put = (gateway: number, name: string, wait_max_ms: number): Promise<Answered> =>
  rig.ask(gateway, 'PUT', `/v1/saga-definitions/${name}/versions/1.0.0`, { name, version: '1.0.0', wait_max_ms, root });
const statuses = (answers: readonly Answered[]) => answers.map(({ status }) => status).sort();

test('of two gateways that publish other content as one version, one answers 201 and the other 409, and both answer what was published', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all([0, 1].map((n) => put(n, `other-${round}`, n + 1)));
    expect(statuses(answers)).toEqual([201, 409]);
    const { digest } = answers.find(({ status }) => status === 201)?.body as { digest: string };
    const again = answers.findIndex(({ status }) => status === 201) + 1;
    for (const n of [0, 1]) expect((await put(n, `other-${round}`, again)).body.digest).toBe(digest);
  }
});

test('of two gateways that publish the same content, one records it and both answer the same version', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all([0, 1].map((n) => put(n, `same-${round}`, 1)));
    expect(statuses(answers)).toEqual([200, 201]);
    expect(new Set(answers.map(({ body }) => `${body.digest} ${body.published_at}`)).size).toBe(1);
  }
});

test('versions of other names do not get in the way of each other', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => put(n % 2, `name-${n}`, 1)));
  expect(statuses(answers)).toEqual(Array(8).fill(201));
});
