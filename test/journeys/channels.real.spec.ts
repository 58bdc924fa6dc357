import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realPart } from '../tools/real-parts.js';
import { freePort } from './child-process.js';
import { DistributedPlatform } from './distributed-platform.js';
import { JourneyWorld } from './journey-world.js';
import { DroppingWay, Mailbox } from './mailbox.js';
import { ask, ended, people, vote } from './oversight-people.js';
import { Receiver } from './receiver.js';

const [SMTP, POP3] = [realPart('COUNTERSIGN_TEST_SMTP'), realPart('COUNTERSIGN_TEST_POP3')];

describe('channels: two gateways and a mail server', () => {
  const at = new JourneyWorld();
  let way: DroppingWay;
  let platform: DistributedPlatform;
  let second_port: number;
  beforeAll(async () => {
    way = await DroppingWay.to(SMTP, 1);
    await at.open(async (env) => {
      platform = await DistributedPlatform.create({
        ...env,
        COUNTERSIGN_SMTP_URL: `smtp://gate%40example.org:secret@127.0.0.1:${way.port}?ignoreTLS=true`,
        COUNTERSIGN_MAIL_FROM: 'gate@example.org',
      });
      second_port = await freePort();
      const shown = { COUNTERSIGN_PUBLIC_URL: platform.base };
      for (const app of ['policy', 'projector', 'executor']) await platform.add(app, app);
      await platform.add('gateway', 'gateway', shown);
      await platform.ready();
      return platform;
    });
  });
  afterAll(async () => {
    await at.close();
    await way?.stop();
  });

  test('a request is mailed, again if the server was unavailable; its link shows the request and decides it once', async () => {
    const { agent, admin } = await people(at);
    const acts_as = { id: 'ann', roles: ['approver'] };
    const hook = { channel: 'mail', url: 'mailto:ann@example.org', types: ['approval.*'], acts_as };
    expect((await admin.request('POST', '/v1/webhooks', { ...hook, url: 'mailto:ann@example.org,eve@example.org' })).status).toBe(422);
    expect((await admin.request('POST', '/v1/webhooks', hook)).status).toBe(201);
    const envelope = await ask(agent);
    const mailbox = new Mailbox(POP3, 'ann@example.org', 'hers');
    const about = ({ text }: { text: string }) => text.includes(envelope.call_id);
    const [mail] = await mailbox.received(about);
    expect(way.dropped).toBe(1);
    expect(mail?.headers.get('from')).toBe('gate@example.org');
    expect(mail?.headers.get('subject')).toBe('probe_approval needs an approval');
    const link = /^Decide: (\S+)$/m.exec(mail?.text ?? '')?.[1] as string;
    expect(link.startsWith(`${platform.base}/v1/decisions?token=`)).toBe(true);
    const page = await fetch(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('probe_approval: pending')]);
    const token = new URL(link).searchParams.get('token');
    expect((await agent.request('POST', '/v1/decisions', { token, vote: 'approve' })).status).toBe(200);
    expect(await ended(agent, envelope)).toMatchObject({ status: 'succeeded' });
    expect((await agent.request('POST', '/v1/decisions', { token, vote: 'deny' })).status).toBe(409);
    const subjects = (await mailbox.received(about, 2)).map(({ headers }) => headers.get('subject'));
    expect(subjects).toEqual(['probe_approval needs an approval', 'probe_approval was approved']);
  });

  test('while gateways start and stop, each channel receives a message once', async () => {
    const { agent, admin, ann } = await people(at);
    const receiver = await Receiver.start();
    try {
      await admin.request('POST', '/v1/webhooks', { url: receiver.url });
      const envelopes = await Promise.all(Array.from({ length: 10 }, () => ask(agent)));
      await platform.add('gateway-2', 'gateway', { COUNTERSIGN_PUBLIC_URL: platform.base, COUNTERSIGN_PORT: String(second_port) });
      for (let i = 0; i < 10; i++) envelopes.push(await ask(agent));
      await platform.ready('gateway-2');
      for (const envelope of envelopes) await vote(ann, envelope, { vote: 'approve' });
      await platform.member('gateway-2').stop();
      const deliveries = async () => (await receiver.received(40)).map(({ headers }) => headers['webhook-id'] as string);
      await deliveries();
      await new Promise((done) => setTimeout(done, 1500));
      expect(new Set(await deliveries()).size).toBe((await deliveries()).length);
      expect(await deliveries()).toHaveLength(40);
    } finally {
      await receiver.stop();
    }
  });
});
