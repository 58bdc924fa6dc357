import { setTimeout as sleep } from 'node:timers/promises';
import type { Taken } from '@countersign/calls';
import { sampleMeta } from '@countersign/calls/testing/samples';
import { EventCodec } from '@countersign/contracts';
import { tenantPart } from '@countersign/domain';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NoticeRig } from '../testing/notice-rig.js';
import { by, hook } from '../testing/notification-life.js';
import type { Notification } from './notification.js';
import { NOTIFICATION_GROUP } from './notifications.module.js';

const codec = new EventCodec();
let rig: NoticeRig;
beforeAll(async () => {
  rig = await NoticeRig.open();
});
afterAll(() => rig?.close());
beforeEach(() => rig.begin());
afterEach(() => rig.end());

const newLife = (answer: (notification: Notification) => Taken) => rig.newLife(answer);
const deny = (event_id: string, tenant_id?: string) => rig.deny(event_id, tenant_id);

describe('a dead letter that an operator requeues', () => {
  const requeue = (source_offset: number, consumer = NOTIFICATION_GROUP) => {
    const meta = { ...sampleMeta(), event_id: `requeue of ${source_offset}`, partition: 0 };
    const place = { source_topic: 'approval-granted', source_partition: 0, source_offset };
    const value = codec.encode('dead_letter_requeued', { meta, letter_id: 'l', consumer, ...place, reason: 'corrected', by });
    const headers = { event_type: 'dead_letter_requeued' };
    return rig.log.append([{ topic: 'operator-command', partition: 0, key: null, value, headers }]);
  };
  const letters = async () => (await rig.log.read('dead-letter', 0, 0, 10)).map(({ value }) => codec.decode(value).event);

  test('is sent if no channel got it, and once, however often it is requeued', async () => {
    const life = newLife(() => 'taken');
    const { webhooks } = tenantPart(life.state, sampleMeta().tenant_id);
    webhooks.clear();
    tenantPart(life.state, 'rival').webhooks.set('w', hook);
    await life.start();
    await deny('n1');
    await deny('n2', 'rival');
    await life.until(1);
    webhooks.set('w', hook);
    await requeue(0);
    await life.until(2);
    await deny('n3');
    await life.until(3);
    webhooks.set('w2', { ...hook, webhook_id: 'w2' });
    await requeue(0, 'policy');
    await requeue(0);
    await life.until(4);
    await life.stop();
    expect([life.sent, await letters()]).toEqual([['n2', 'n1', 'n3', 'n1'], []]);
  });

  test('and cannot be read is a dead letter of its own, and the next ones are handled', async () => {
    const life = await newLife(() => 'taken').start();
    await requeue(7);
    await deny('n1');
    await requeue(0);
    await life.until(1);
    for (const until = Date.now() + 8000; (await letters()).length < 1; await sleep(20)) if (Date.now() > until) throw new Error('none');
    expect(await letters()).toMatchObject([
      {
        ...{ source_topic: 'operator-command', source_offset: 0, consumer: NOTIFICATION_GROUP },
        ...{ cause: 'the requeued record approval-granted/0/7 is no longer on the log', meta: { tenant_id: sampleMeta().tenant_id } },
      },
    ]);
    await life.stop();
  });
});
