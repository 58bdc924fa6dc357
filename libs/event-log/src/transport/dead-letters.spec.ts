import { EventCodec, type EventMap } from '@countersign/contracts';
import { expect, test } from 'vitest';
import type { EventLog, NewRecord } from '../event-log.js';
import { DeadLetters, type PoisonRecord } from './dead-letters.js';

const codec = new EventCodec();

async function causeOf(event: PoisonRecord['event'], cause: unknown): Promise<string> {
  const appended: NewRecord[] = [];
  const append = async (records: readonly NewRecord[]) => appended.push(...records);
  const log = { append, first: async () => 0, head: async () => 0 } as unknown as EventLog;
  const record = { topic: 't', partition: 0, offset: 7, timestamp_ms: 1, key: null, headers: {}, value: Buffer.from('bytes') };
  await new DeadLetters(log, codec, 'policy', () => 1).put({ record, event }, cause);
  return (codec.decode((appended[0] as NewRecord).value) as { event: EventMap['record_dead_lettered'] }).event.cause;
}

const about = (sealed: object | null) => {
  const meta = { event_id: 'e', tenant_id: 'acme', call_id: 'c', attempt: 1, causation_id: null, correlation_id: '', hlc: 1, partition: 0 };
  return { event_type: 'tool_call_requested', event: { meta, call: { sealed } } } as unknown as PoisonRecord['event'];
};

test('a dead letter states the cause; for a sealed call only the kind of fault, because the message may quote decrypted data', async () => {
  const fault = new TypeError('cannot read "Ada Lovelace"');
  expect(await causeOf(undefined, fault)).toContain('Ada');
  expect(await causeOf(about(null), fault)).toContain('Ada');
  expect(await causeOf(about([{ subject: 's', key_id: 'k' }]), fault)).toBe('TypeError (message withheld: the call has personal data)');
  expect(await causeOf(about([]), 'Ada')).not.toContain('Ada');
});
