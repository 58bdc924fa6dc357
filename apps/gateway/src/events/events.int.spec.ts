import { RecordsDropped } from '@countersign/event-log';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EventReader, type ReadEvent } from '../testing/event-reader.js';
import { TestGateway } from '../testing/test-gateway.js';
import { EVENTS_PER_SECOND_MAX } from './reader-stream.js';

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

/** Opens a stream and waits until it has started. */
async function read(path: string, key = gateway.key, last_id = ''): Promise<EventReader> {
  const reader = await EventReader.open(`${gateway.url}${path}`, key, last_id);
  open.push(reader);
  await reader.until(1);
  return reader;
}

let people = 0;
const keyFor = (...roles: string[]) => gateway.keyFor(`person-${people++}`, roles);

/** A key of another tenant. */
async function keyOfTenant(tenant_id: string): Promise<string> {
  await gateway.send('POST', '/v1/tenants', { tenant_id });
  const principal = { kind: 'user', id: 'olga', roles: ['admin'] };
  return (await gateway.send('POST', '/v1/keys', { tenant_id, principal })).body.key;
}

const ended =
  (call_id: string) =>
  ({ data }: ReadEvent): boolean =>
    data.id === call_id && data.event_type === 'tool_executed';

/** Sees a call that was made after everything else: the stream has sent what came before. */
async function seesAnother(reader: EventReader, key = gateway.key): Promise<void> {
  const { body } = await gateway.call('write_note', {}, {}, key);
  await reader.find(ended(body.call_id));
}

describe('what a stream says', () => {
  test('it starts with its cursor, and names what changes with its status in the views', async () => {
    const reader = await read('/v1/events?kinds=call');
    const [ready] = reader.events;
    expect(ready).toMatchObject({ event: 'ready', data: { cursor: ready?.id, kinds: ['call'] } });
    const { body } = await gateway.call('write_note', { text: 'a secret note' });
    const event = await reader.find(ended(body.call_id));
    expect(Object.keys(event.data).sort()).toEqual(['at', 'event_type', 'id', 'kind', 'position', 'status']);
    expect(event.data).toMatchObject({ kind: 'call', status: 'succeeded', position: expect.stringMatching(/^tool-executed:\d:\d+$/) });
    expect(JSON.stringify(reader.events)).not.toContain('a secret note');
  });

  test('a list that is read after an event shows what the event says', async () => {
    const reader = await read('/v1/events?kinds=call');
    const { body } = await gateway.call('write_note');
    const { data } = await reader.find(ended(body.call_id));
    const listed = await gateway.send('GET', '/v1/calls?limit=500', undefined, { 'countersign-position': data.position });
    expect(listed.body.items.find(({ call_id }: { call_id: string }) => call_id === data.id)).toMatchObject({ status: 'succeeded' });
  });

  test('settings, tools and cases are named by their items, without their content', async () => {
    const reader = await read('/v1/events');
    const opened = await gateway.send('POST', '/v1/cases', { title: 'a private title' });
    await gateway.send('PUT', '/v1/tools/write_note/versions/1.3.0/lifecycle', { state: 'deprecated' });
    const made = await gateway.send('POST', '/v1/keys', { principal: { kind: 'user', id: 'zoe', roles: ['approver'] } });
    await seesAnother(reader);
    const named = reader.events.map(({ data }) => `${data.kind} ${data.id}`);
    const wanted = [`case ${opened.body.case_id}`, 'tool write_note@1.3.0', `configuration key/${made.body.key_id}`];
    expect(named).toEqual(expect.arrayContaining(wanted));
    expect(JSON.stringify(reader.events)).not.toMatch(/a private title|zoe/);
  });

  test('an approval is sent as the list shows it, with how it changed', async () => {
    const reader = await read('/v1/approvals/events');
    const agent = await gateway.keyFor('asker', ['agent']);
    const { body } = await gateway.call('ask_first', { text: 'a secret note' }, { prefer: 'wait=0' }, agent);
    const requested = await reader.find(({ data }) => data.call_id === body.call_id);
    const { change, position, ...item } = requested.data;
    expect([requested.event, change, position]).toEqual(['approval', 'requested', expect.stringMatching(/^policy-decided:/)]);
    const listed = await gateway.send('GET', '/v1/approvals?limit=500');
    expect(item).toEqual(listed.body.items.find(({ approval_id }: { approval_id: string }) => approval_id === item.approval_id));
    await gateway.send('POST', `/v1/approvals/${item.approval_id}/votes`, { vote: 'approve' });
    const granted = await reader.find(
      ({ data }) => data.approval_id === item.approval_id && data.status === 'granted' && data.change === 'ended',
    );
    expect(granted).toBeDefined();
    expect(JSON.stringify(reader.events)).not.toContain('a secret note');
  });

  test('a cancelled call ends its approval', async () => {
    const reader = await read('/v1/events?kinds=approval');
    const { body } = await gateway.call('ask_first', {}, { prefer: 'wait=0' });
    const requested = await reader.find(({ data }) => data.id?.endsWith(body.call_id));
    await gateway.send('POST', `/v1/calls/${body.call_id}/cancel`, { reason: 'no' });
    const cancelled = await reader.find(({ data }) => data.event_type === 'call_cancelled');
    expect(cancelled.data).toMatchObject({ id: requested.data.id, status: 'cancelled' });
  });

  test('an unknown kind is refused with the list of kinds', async () => {
    const refused = await gateway.send('GET', '/v1/events?kinds=call,secrets');
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('security, dead_letter, damage')]);
  });
});

describe('who sees what', () => {
  test('each role sees the changes of what it may list', async () => {
    const roles = ['agent', 'approver', 'operator', 'auditor', 'admin'] as const;
    const readers = await Promise.all(roles.map(async (role) => [role, await read('/v1/events', await keyFor(role))] as const));
    await gateway.send('POST', '/v1/keys', { principal: { kind: 'user', id: 'any', roles: ['agent'] } });
    await gateway.send('GET', '/v1/keys', undefined, {}, await keyFor('agent'));
    const { body } = await gateway.call('ask_first', {}, { prefer: 'wait=0' });
    for (const [, reader] of readers) await seesAnother(reader);
    const kindsOf = (reader: EventReader) => new Set(reader.events.map(({ data }) => data.kind ?? 'ready'));
    for (const [role, reader] of readers) {
      expect([role, reader.events.some(({ data }) => data.id === body.call_id)]).toEqual([role, true]);
      const configuration = reader.events.some(({ data }) => String(data.id).startsWith('key/'));
      expect([role, configuration]).toEqual([role, role === 'admin']);
      if (role === 'agent' || role === 'approver') expect(kindsOf(reader)).not.toContain('security');
    }
    // A refused request is a security event: operators and auditors list them.
    for (const [role, reader] of readers)
      if (role === 'operator' || role === 'auditor' || role === 'admin') await reader.find(({ data }) => data.kind === 'security');
  }, 30_000);

  test("another tenant's events are not sent, also to a reader who resumes with a cursor of that tenant", async () => {
    const other = await keyOfTenant('globex');
    const ours = await read('/v1/events');
    const theirs = await read('/v1/events', other);
    const { body } = await gateway.call('write_note');
    await ours.find(ended(body.call_id));
    const stolen = await read('/v1/events', other, ours.events[0]?.id);
    const { body: own } = await gateway.call('write_note', {}, {}, other);
    for (const reader of [theirs, stolen]) {
      await reader.find(ended(own.call_id));
      expect(reader.events.map(({ data }) => data.id)).not.toContain(body.call_id);
    }
  }, 30_000);

  test("a person's own secrets are named to that person and to admins", async () => {
    const [owner, another] = [await gateway.keyFor('owner', ['operator']), await keyFor('operator')];
    const readers = [await read('/v1/events', owner), await read('/v1/events', another), await read('/v1/events')];
    const set = await gateway.send('PUT', '/v1/secrets/user/git_token', { value: 'hidden-value' }, {}, owner);
    expect(set.status).toBeLessThan(300);
    for (const reader of readers) await seesAnother(reader);
    const named = readers.map((reader) => reader.events.some(({ data }) => data.id === 'secret/user/git_token'));
    expect(named).toEqual([true, false, true]);
    expect(JSON.stringify(readers.map(({ events }) => events))).not.toContain('hidden-value');
  });

  test('a revoked key closes the stream', async () => {
    const made = await gateway.send('POST', '/v1/keys', { principal: { kind: 'user', id: 'soon-gone', roles: ['operator'] } });
    const reader = await read('/v1/events', made.body.key);
    await gateway.send('DELETE', `/v1/keys/${made.body.key_id}`);
    const closed = await reader.find(({ event }) => event === 'closed');
    expect(closed.data.reason).toBe('credential_ended');
    const again = await gateway.send('GET', '/v1/events', undefined, {}, made.body.key);
    expect(again.status).toBe(401);
  }, 40_000);
});

describe('a cursor', () => {
  test('of a hostile client is refused, or resets the stream', async () => {
    const { id } = (await read('/v1/events')).events[0] as ReadEvent;
    const bytes = Buffer.from(id, 'base64url');
    for (const text of ['AAAA', 'x'.repeat(3_000), `${id}AA`, bytes.subarray(0, 9).toString('base64url')]) {
      const refused = await gateway.send('GET', `/v1/events?cursor=${text}`);
      expect([text.slice(0, 9), refused.status]).toEqual([text.slice(0, 9), 400]);
    }
    const beyond = Buffer.concat([bytes.subarray(0, 7), Buffer.from([0xff, 0xff, 0x7f]), bytes.subarray(8)]);
    const other = Buffer.concat([bytes.subarray(0, 1), Buffer.alloc(6), bytes.subarray(7)]);
    for (const cursor of [beyond, other]) {
      const reader = await read('/v1/events', gateway.key, cursor.toString('base64url'));
      expect(reader.events[0]).toMatchObject({ event: 'reset', data: { reason: 'cursor_of_another_installation' } });
      await seesAnother(reader);
    }
  });

  test('may come as a parameter; Last-Event-ID takes precedence', async () => {
    const first = await read('/v1/events?kinds=call');
    const { body } = await gateway.call('write_note');
    const seen = await first.find(ended(body.call_id));
    const from = first.events[0]?.id as string;
    await (await read(`/v1/events?kinds=call&cursor=${from}`)).find(ended(body.call_id));
    const later = await read(`/v1/events?kinds=call&cursor=${from}`, gateway.key, seen.id);
    await seesAnother(later);
    expect(later.events.some(({ data }) => data.id === body.call_id)).toBe(false);
  });

  test('of records that retention dropped resets the stream', async () => {
    const reader = await read('/v1/events?kinds=call');
    const from = reader.last_id;
    const { body } = await gateway.call('write_note');
    await reader.find(ended(body.call_id));
    const { log } = gateway;
    const whole = log.read.bind(log);
    log.read = async (topic, partition, offset, count) => {
      if (topic === 'tool-executed') throw new RecordsDropped(topic, partition, offset, offset + 5);
      return whole(topic, partition, offset, count);
    };
    const resumed = await read('/v1/events?kinds=call', gateway.key, from);
    const reset = await resumed.find(({ event }) => event === 'reset');
    log.read = whole;
    expect(reset.data).toMatchObject({ reason: 'cursor_too_old', cursor: reset.id });
    await seesAnother(resumed);
  });
});

describe('many changes', () => {
  test('of one item within a tenth of a second are one event', async () => {
    const reader = await read('/v1/events?kinds=call');
    const { body } = await gateway.call('write_note');
    await reader.find(ended(body.call_id));
    const sent = reader.events.filter(({ data }) => data.id === body.call_id);
    expect(sent.length).toBeLessThan(3);
  });

  test('leave the streams of another tenant on time, and reach their own at its rate', async () => {
    const other = await keyOfTenant('initech');
    const theirs = await read('/v1/events', other);
    const ours = await read('/v1/events?kinds=call');
    const quiet: number[] = [];
    for (let n = 0; n < 3; n++) {
      const started = performance.now();
      await seesAnother(theirs, other);
      quiet.push(performance.now() - started);
    }
    const before = ours.events.length;
    const started = performance.now();
    const made = Array.from({ length: 150 }, () => gateway.call('write_note'));
    const loud: number[] = [];
    for (let n = 0; n < 3; n++) {
      const at = performance.now();
      await seesAnother(theirs, other);
      loud.push(performance.now() - at);
    }
    const last = (await Promise.all(made)).at(-1);
    await ours.find(ended(last?.body.call_id));
    const seconds = (performance.now() - started) / 1000;
    expect(ours.events.length - before).toBeLessThanOrEqual(EVENTS_PER_SECOND_MAX * (seconds + 1));
    expect(Math.min(...loud)).toBeLessThan(Math.max(...quiet) + 2_000);
  }, 40_000);
});
