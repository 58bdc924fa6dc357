import { randomUUID } from 'node:crypto';
import { EventCodec, type EventSchema, type EventType, eventSchemas, isInfrastructureFault } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import { IncompatibleSchema, RegisteredCodec } from './registered-codec.js';

const url = String(process.env.COUNTERSIGN_TEST_REGISTRY);
const viewed = eventSchemas.find(({ event_type }) => event_type === 'approval_viewed')!;

/** The schema of approval_viewed on a topic of this test, with changes. */
function variant(topic: string, change: (fields: { name: string }[]) => object[]): EventSchema {
  const schema = JSON.parse(viewed.schema) as { fields: { name: string }[] };
  return { ...viewed, topic: topic as EventSchema['topic'], schema: JSON.stringify({ ...schema, fields: change(schema.fields) }) };
}

const withNote = (fields: { name: string }[]) => [...fields, { name: 'note', type: 'string', default: 'none' }];

/** An approval_viewed event with every field set according to its type. */
function sample(codec: EventCodec): Buffer {
  const meta = {
    event_id: randomUUID(),
    tenant_id: 't',
    call_id: null,
    attempt: 1,
    causation_id: null,
    correlation_id: 'c',
    hlc: 1,
    partition: 0,
  };
  const viewer = { kind: 'user', id: 'p', roles: [] };
  return codec.encode('approval_viewed', { meta, approval_id: 'a', viewer, viewed_at_ms: 1, note: 'new' } as never);
}

/** Records the ids that a registry assigned. */
class NotingCodec extends EventCodec {
  readonly given = new Map<EventType, number>();

  override assignId(eventType: EventType, id: number): void {
    this.given.set(eventType, id);
    super.assignId(eventType, id);
  }
}

describe('the codec on a real registry', () => {
  test('a registry that knows only this build assigns the embedded ids', async () => {
    const codec = new NotingCodec();
    await new RegisteredCodec(url, codec).start();
    expect(Object.fromEntries(codec.given)).toEqual(Object.fromEntries(eventSchemas.map(({ event_type, id }) => [event_type, id])));
    const again = new NotingCodec();
    await new RegisteredCodec(url, again).start();
    expect(again.given).toEqual(codec.given);
  }, 60_000);

  test('services that start together on an empty registry all start, with the same ids', async () => {
    const round = randomUUID();
    const fresh = Array.from({ length: 12 }, (_, number) => variant(`together-${round}-${number}`, (fields) => fields));
    const codecs = Array.from({ length: 6 }, () => new NotingCodec());
    await Promise.all(codecs.map((codec) => new RegisteredCodec(url, codec, fresh).start()));
    for (const codec of codecs) expect(codec.given).toEqual(codecs[0]?.given);
  }, 60_000);

  test('a schema that readers of the older version could not read is refused', async () => {
    await new RegisteredCodec(url, new EventCodec()).start();
    const topic = `incompatible-${randomUUID()}`;
    const first = variant(topic, (fields) => fields);
    await new RegisteredCodec(url, new EventCodec([first]), [first]).start();
    const second = variant(topic, (fields) => [...fields, { name: 'added_without_default', type: 'string' }]);
    await expect(new RegisteredCodec(url, new EventCodec([second]), [second]).start()).rejects.toBeInstanceOf(IncompatibleSchema);
  }, 60_000);

  test('an older consumer reads what a newer producer wrote, and vice versa', async () => {
    const oldCodec = new EventCodec();
    const oldSide = new RegisteredCodec(url, oldCodec);
    await oldSide.start();
    const topic = `evolved-${randomUUID()}`;
    const first = variant(topic, (fields) => fields);
    await new RegisteredCodec(url, new EventCodec([first]), [first]).start();
    const second = variant(topic, withNote);
    const newCodec = new EventCodec([second]);
    const newSide = new RegisteredCodec(url, newCodec, [second]);
    await newSide.start();

    const written = sample(newCodec);
    const id = newCodec.schemaId(written)!;
    expect(oldCodec.knows(id)).toBe(false);
    await oldSide.learn(id);
    const read = oldCodec.decode(written);
    expect(read.event_type).toBe('approval_viewed');
    expect(read.event).not.toHaveProperty('note');

    const older = sample(oldCodec);
    await newSide.learn(oldCodec.schemaId(older)!);
    expect(newCodec.decode(older).event).toHaveProperty('note', 'none');
  }, 60_000);

  test('an id that the registry does not know changes nothing and is no fault', async () => {
    const codec = new EventCodec();
    await new RegisteredCodec(url, codec).learn(2_000_000_000);
    expect(codec.knows(2_000_000_000)).toBe(false);
  }, 30_000);

  test('an unavailable registry is an infrastructure fault', async () => {
    const unreachable = new RegisteredCodec('http://127.0.0.1:1/apis/ccompat/v7', new EventCodec());
    expect(isInfrastructureFault(await unreachable.start().catch((error: unknown) => error))).toBe(true);
    expect(isInfrastructureFault(await unreachable.learn(1).catch((error: unknown) => error))).toBe(true);
  }, 60_000);
});
