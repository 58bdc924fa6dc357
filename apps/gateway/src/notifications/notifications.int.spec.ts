import { setTimeout as sleep } from 'node:timers/promises';
import type { Taken } from '@countersign/calls';
import { sampleCall, sampleMeta } from '@countersign/calls/testing/samples';
import { EventCodec, type EventMap } from '@countersign/contracts';
import { tenantPart } from '@countersign/domain';
import { claimNotice } from '@countersign/store';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { NoticeRig } from '../testing/notice-rig.js';
import { by, hook } from '../testing/notification-life.js';
import type { Notification } from './notification.js';

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

test('a notification that no channel accepted before a restart is sent again under the same id; an accepted one is not', async () => {
  const first = await newLife(({ id }) => (id === 'n2' ? 'try_again' : 'taken')).start();
  await deny('n1');
  await deny('n2');
  await first.until(2);
  await sleep(300);
  await first.stop();
  const second = await newLife(() => 'taken').start();
  await second.until(1);
  await deny('n3');
  await second.until(2);
  expect(second.sent).toEqual(['n2', 'n3']);
  await second.stop();
  const third = await newLife(() => 'taken').start();
  await deny('n4');
  await third.until(1);
  expect(third.sent).toEqual(['n4']);
  await third.stop();
});

test('a channel whose receiver responds 410 is disabled and gets no more messages', async () => {
  const life = await newLife(() => 'refused').start();
  await deny('n1');
  await life.until(1);
  await life.disabled();
  await deny('n2');
  await sleep(500);
  expect(life.sent).toEqual(['n1']);
  await life.stop();
});

const notification = (id: string): Notification => ({
  id,
  tenant_id: sampleMeta().tenant_id,
  type: 'approval.denied',
  timestamp_ms: Date.now(),
  title: 't',
  data: {},
  decides: null,
});

test('a channel gets a link only while its person could use it', async () => {
  const life = newLife(() => 'taken');
  const tenant_id = sampleMeta().tenant_id;
  const principal = { kind: 'user' as const, id: 'carl', roles: ['approver'] };
  tenantPart(life.state, tenant_id).webhooks.set('w', { ...hook, acts_as: principal });
  const request = (id: string) => {
    const decides = { approval_id: 'a', expires_at_ms: Date.now() + 60_000 };
    return life.sender.send({ ...notification(id), decides });
  };
  await request('before');
  const key = {
    key_id: 'k',
    key_hash: 'k',
    tenant_id,
    principal,
    scopes: [],
    clearances: [],
    purposes: null,
    owner: null,
    name: null,
    key_prefix: null,
    created_by: { kind: 'user' as const, id: 'admin', roles: ['admin'] },
  };
  const kept = { ...key, expires_at_ms: null, created_at_ms: 0, revoked_at_ms: null as number | null };
  life.state.keys_by_id.set('k', kept);
  await request('while');
  kept.revoked_at_ms = Date.now();
  await request('after');
  expect([life.sent, life.with_link]).toEqual([['before', 'while', 'after'], ['while']]);
  await life.stop();
});

const sent = (life: ReturnType<typeof newLife>, id: string) => life.sender.send(notification(id));

test('of two gateways that read the same event one sends to each channel, and both continue', async () => {
  const lives = [newLife(() => 'taken'), newLife(() => 'taken')] as const;
  await Promise.all(['a', 'b', 'c', 'd'].flatMap((id) => lives.map((life) => sent(life, id))));
  expect([...lives[0].sent, ...lives[1].sent].sort()).toEqual(['a', 'b', 'c', 'd']);
  for (const life of lives) await life.stop();
});

test('while one gateway pauses before a retry, no other sends; after it stops, another one does', async () => {
  const [first, second] = [newLife(() => 'try_again'), newLife(() => 'taken')];
  void sent(first, 'x');
  await first.until(1);
  const done = sent(second, 'x');
  await sleep(300);
  expect(second.sent).toEqual([]);
  await first.stop();
  await done;
  expect([first.sent, second.sent]).toEqual([['x'], ['x']]);
  await second.stop();
});

test('a notification that a dead gateway had claimed is sent once its claim expires', async () => {
  const place = { notice_id: 'y', webhook_id: 'w' };
  expect(await claimNotice(rig.store, place, { owner: 'dead', for_ms: 500 })).toBe('mine');
  const life = newLife(() => 'taken');
  await sent(life, 'y');
  expect(life.sent).toEqual(['y']);
  await sent(life, 'y');
  expect(life.sent).toEqual(['y']);
  await life.stop();
});

test("'approve similar' is added to the configuration once policy granted it, and only once", async () => {
  const life = await newLife(() => 'taken').start();
  const call = sampleCall();
  const meta = { ...sampleMeta(), partition: 0 };
  const granted = {
    decision_id: 'd',
    revision: 1,
    ruling_digest: 'r',
    votes: [],
    joined_call_id: null,
    execute_before_ms: 1,
    tier: 'tier_2_approval_required' as const,
  };
  const scope = {
    scope: 'tool' as const,
    case_id: null,
    run_id: null,
    principal_id: 'bot',
    granted_by: ['ann'],
    from_ms: 0,
    expires_at_ms: Date.now() + 60_000,
    rule: 'r',
    rules: ['r'],
    inputs: null,
    uses: 1,
  };
  const similar = {
    grant_id: 'g',
    approval_id: 'a',
    tool: call.tool,
    version: call.version,
    contract_digest: 'c',
    mapping_version: null,
    ...scope,
  };
  const event: EventMap['approval_granted'] = {
    meta,
    approval_id: 'a',
    ...granted,
    source: { topic: 'approval-voted', offset: 0 },
    call,
    similar,
    also: null,
    history_json: null,
    asked: null,
    parts: [],
  };
  const record = {
    topic: 'approval-granted',
    partition: 0,
    key: null,
    value: codec.encode('approval_granted', event),
    headers: { event_type: 'approval_granted' },
  };
  await rig.log.append([record]);
  await life.until(1);
  tenantPart(life.state, meta.tenant_id).grants.set('g', { grant: similar, revoked: true, by, changed_at_ms: 1 });
  const again = { ...event, meta: { ...meta, event_id: 'read again under another id' } };
  await rig.log.append([{ ...record, value: codec.encode('approval_granted', again) }]);
  await life.until(2);
  expect(life.written).toMatchObject([{ type: 'grant_set', fields: { grant: { grant_id: 'g' }, revoked: false } }]);
  await life.stop();
});
