import { callTopics, parseCallId, parseTopic, sagaKey } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const stateless = new Map<string, boolean>();

/** Records of global topics may name a call of any partition, and sagas have their own topic: neither is part of a call's state. */
function isStateless(topic: string): boolean {
  let known = stateless.get(topic);
  if (known === undefined) {
    const { topic: name } = parseTopic(topic);
    known = name === 'compensation' || !(callTopics as readonly string[]).includes(name);
    stateless.set(topic, known);
  }
  return known;
}

/** The call whose state includes the event; null if there is none. */
export const callOf = ({ event, topic }: PlacedEvent): string | null => (isStateless(topic) ? null : event.meta.call_id);

/** The saga whose record the event is; undefined for all other events. */
export const sagaOf = ({ event }: PlacedEvent): string | undefined =>
  'saga_id' in event && event.saga_id !== null ? sagaKey(event.meta.tenant_id, event.saga_id) : undefined;

/** Why an event cannot be folded into rows, whatever its type; otherwise undefined. Its record belongs in dead-letter. */
export function unfoldable({ event, topic, partition }: PlacedEvent): string | undefined {
  const { event_id, call_id, hlc, partition: named } = event.meta;
  if (!UUID.test(event_id)) return `event_id ${event_id} is not a UUID`;
  if (!Number.isSafeInteger(hlc) || hlc < 0) return `hlc ${hlc} is out of range`;
  if (call_id === null) return undefined;
  const id = parseCallId(call_id);
  if (!id) return `call_id ${call_id} is malformed`;
  if (isStateless(topic)) return undefined;
  if (id.partition !== partition || named !== partition)
    return `the record belongs to partition ${id.partition} but is in partition ${partition}`;
  return undefined;
}
