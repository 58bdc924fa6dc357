import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { move, read, saga, sequence } from '../sagas/blocks.js';
import { Recipient } from '../tools/mail/recipient.js';
import { realPop3, realSmtp } from '../tools/real-parts.js';
import type { Api } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import type { ReadMail } from './mailbox.js';
import { Receiver } from './receiver.js';

let platform: EmbeddedPlatform;
let receiver: Receiver;
let admin: Api;
const ann = new Recipient(realPop3());
beforeAll(async () => {
  receiver = await Receiver.start();
  platform = await EmbeddedPlatform.start({
    COUNTERSIGN_SMTP_URL: `smtp://${realSmtp()}?ignoreTLS=true`,
    COUNTERSIGN_MAIL_FROM: 'gate@example.org',
    COUNTERSIGN_CALLBACK_ALLOW_PRIVATE: 'true',
    COUNTERSIGN_PUBLIC_URL: 'https://gate.example.org',
  });
  admin = platform.admin();
});
afterAll(async () => {
  await platform?.close();
  await receiver?.stop();
});

const file = (name: string) => path.join(platform.workspace, name);

async function mailed(count: number): Promise<ReadMail[]> {
  for (const end = Date.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const mails = await ann.mails();
    if (mails.length >= count) return mails;
    if (Date.now() > end) throw new Error(`${mails.length} of ${count} mails`);
  }
}

interface Saga {
  status: string;
  waits: unknown[];
}

async function sagaUntil(saga_id: string, isWanted: (saga: Saga) => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const { status, body } = await admin.request<Saga>('GET', `/v1/sagas/${saga_id}`);
    if (status === 200 && isWanted(body)) return;
    if (Date.now() > end) throw new Error(`saga ${saga_id} is ${JSON.stringify(body)}`);
  }
}

const asks = { kind: 'wait', name: 'go', wait: 'event', subject: 'go', timeout_ms: 600_000, on_timeout: 'fail' } as const;

test('a compensation that failed alerts by webhook and by mail: what, where, why, and every action with its link and step', async () => {
  const types = ['saga.*'];
  expect((await admin.request('POST', '/v1/webhooks', { channel: 'mail', url: `mailto:${ann.address}`, types })).status).toBe(201);
  expect((await admin.request('POST', '/v1/webhooks', { url: receiver.url, types })).status).toBe(201);
  writeFileSync(file('a.txt'), 'a');
  const definition = saga(sequence(move('one', 'a.txt', 'b.txt'), asks, read('look', 'missing.txt')));
  expect((await admin.request('POST', '/v1/sagas', { saga_id: 'mailed', definition, inputs: {} })).status).toBe(202);
  await sagaUntil('mailed', ({ waits }) => waits.length > 0);
  renameSync(file('b.txt'), file('away.txt'));
  expect((await admin.request('POST', '/v1/sagas/mailed/waits/go', { outcome: 'answered' })).status).toBe(200);
  await sagaUntil('mailed', ({ status }) => status === 'compensation_failed');
  const [mail] = await mailed(1);
  expect([mail?.headers.get('from'), mail?.headers.get('subject')]).toEqual([
    'gate@example.org',
    'Saga mailed: an effect could not be undone',
  ]);
  const text = mail?.text ?? '';
  for (const line of [
    'ticket: compensation_failed',
    'step_id: one',
    'tool: move_file',
    'saga: https://gate.example.org/v1/sagas/mailed',
    'retry: POST https://gate.example.org/v1/sagas/mailed/retry with step_id one',
    'done_by_hand: POST https://gate.example.org/v1/sagas/mailed/done-by-hand with step_id one',
    'accept: POST https://gate.example.org/v1/sagas/mailed/accept with step_id one',
  ])
    expect(text).toContain(line);
  expect(text).toMatch(/^error: .*"code":/m);
  expect(text).toMatch(/^call: https:\/\/gate\.example\.org\/v1\/calls\//m);
  const [hook] = await receiver.received(1);
  expect(JSON.parse(hook?.body ?? '')).toMatchObject({ type: 'saga.compensation_failed', data: { saga_id: 'mailed', step_id: 'one' } });
  expect((await admin.request('POST', '/v1/sagas/mailed/accept', { reason: 'it is gone' })).status).toBe(200);
  const subjects = (await mailed(2)).map(({ headers }) => headers.get('subject'));
  expect(subjects).toContain('Saga mailed ended with effects that are not undone');
  expect(new Set(await ann.messageIds()).size).toBe(2);
});
