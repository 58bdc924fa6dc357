import { expect, test } from 'vitest';
import type { WorkCause } from '../sagas/saga-work.js';
import { FairInbox } from './fair-inbox.js';

const done = () => undefined;
const due = (tenant_id: string, saga_id: string) => ({
  work: { tenant_id, saga_id, order: { kind: 'timer' as const }, cause: null },
  done,
});
const request = (tenant_id: string, offset: number) => {
  const cause: WorkCause = { event_id: 'e', correlation_id: 'c', hlc: 1, topic: 'saga-requested', offset };
  return { work: { tenant_id, saga_id: `r${offset}`, order: 'refused', cause }, done };
};
const names = (inbox: FairInbox, max: number) => inbox.take(max).map(({ work }) => `${work.tenant_id} ${work.saga_id}`);

function filled(...all: Parameters<FairInbox['push']>[0][]): FairInbox {
  const inbox = new FairInbox();
  for (const each of all) inbox.push(each);
  return inbox;
}

test('a tenant with many due sagas does not delay another one: they take turns', () => {
  const busy = Array.from({ length: 1_000 }, (_, n) => due('busy', `s${n}`));
  const inbox = filled(...busy, due('small', 'a'), due('small', 'b'));
  expect(names(inbox, 5)).toEqual(['busy s0', 'small a', 'busy s1', 'small b', 'busy s2']);
  expect(inbox.take(2_000)).toHaveLength(997);
  expect([inbox.isEmpty, inbox.take(1)]).toEqual([true, []]);
});

test('turns go on from round to round, also with more tenants than a round has places', () => {
  const inbox = filled(...['a', 'b', 'c'].flatMap((tenant) => [due(tenant, '1'), due(tenant, '2')]));
  expect([names(inbox, 2), names(inbox, 2), names(inbox, 2)]).toEqual([
    ['a 1', 'b 1'],
    ['c 1', 'a 2'],
    ['b 2', 'c 2'],
  ]);
});

test('requests keep the order of their log, whoever made them, and have turns of their own', () => {
  const inbox = filled(request('a', 1), request('b', 2), due('a', 's'), request('a', 3));
  expect(names(inbox, 10)).toEqual(['a r1', 'a s', 'b r2', 'a r3']);
});
