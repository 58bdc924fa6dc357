import { type AnyEvent, leafHashText } from '@countersign/contracts';
import { initialRulings, type RulingState } from '@countersign/domain';
import type { NewRecord } from '@countersign/event-log';
import { expect, test } from 'vitest';
import { RulingHashes } from './ruling-hashes.js';

const record: NewRecord = {
  topic: 'policy-decided',
  partition: 0,
  key: 'k',
  value: Buffer.from('ruling'),
  headers: { event_type: 'policy_decided' },
};

const ruling = (event_id: string, effect: string): AnyEvent =>
  ({ event_type: 'policy_decided', event: { meta: { event_id }, effect } }) as unknown as AnyEvent;

/** A state in which the calls of these rulings wait for approval. */
function waitingFor(...event_ids: string[]): RulingState {
  const state = initialRulings();
  const members = event_ids.map((event_id) => ({ meta: { event_id, call_id: event_id } }));
  state.approvals.set('a', { approval_id: 'a', members } as never);
  return state;
}

test('the ruling of a call that waits is known by the hash that it has on the log; one that decides is not kept', () => {
  const hashes = new RulingHashes(waitingFor('waits'));
  hashes.written(ruling('waits', 'require_approval'), { ...record, appended_at_ms: 7 }, 3);
  hashes.written(ruling('runs', 'allow'), { ...record, appended_at_ms: 7 }, 4);
  expect(hashes.of('waits')).toBe(leafHashText({ ...record, offset: 3, timestamp_ms: 7 }));
  expect(hashes.of('runs')).toBeUndefined();
});

test('a log that tells no time gives no hash, rather than a wrong one', () => {
  const hashes = new RulingHashes(waitingFor('waits'));
  hashes.written(ruling('waits', 'defer'), record, 3);
  expect(hashes.of('waits')).toBeUndefined();
});

test('the record just read comes before what is kept; a snapshot has only those of calls that still wait', () => {
  const hashes = new RulingHashes(waitingFor('waits'), new Map([['over', 'x']]));
  hashes.read({ ...ruling('waits', 'defer'), leaf_hash: 'h' });
  expect(hashes.of('waits', { event: { meta: { event_id: 'waits' } }, leaf_hash: 'newer' })).toBe('newer');
  expect(hashes.of('waits', { event: { meta: { event_id: 'other' } }, leaf_hash: 'newer' })).toBe('h');
  expect(hashes.waiting()).toEqual([['waits', 'h']]);
});

test('it holds no more than twice what waits, whatever is written', () => {
  const hashes = new RulingHashes(waitingFor('waits'));
  for (let n = 0; n < 5_000; n++) hashes.written(ruling(`r${n}`, 'defer'), { ...record, appended_at_ms: 7 }, n);
  expect((hashes as unknown as { hashes: Map<string, string> }).hashes.size).toBeLessThanOrEqual(1_001);
});
