/** What an auditor wants to verify. */
export type Picked =
  | { kind: 'call' | 'case'; id: string }
  | { kind: 'event'; id: string }
  | { kind: 'record'; topic: string; partition: number; offset: number };

const EVENT = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const CALL = /^\d{1,5}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const PLACE = /^([A-Za-z0-9._-]{1,255})\/(\d{1,6})\/(\d{1,15})$/;
const ID_CHARACTERS_MAX = 200;

/** What a text names: a record by its position, an event or a call by the form of its id; any other id is that of a case. Undefined: no id. */
export function picked(text: string): Picked | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > ID_CHARACTERS_MAX + 100) return undefined;
  const place = placeOf(trimmed);
  if (place) return place;
  if (EVENT.test(trimmed)) return { kind: 'event', id: trimmed };
  if (trimmed.length > ID_CHARACTERS_MAX) return undefined;
  return { kind: CALL.test(trimmed) ? 'call' : 'case', id: trimmed };
}

function placeOf(text: string): Picked | undefined {
  const [, topic, partition, offset] = PLACE.exec(text) ?? [];
  return topic === undefined ? undefined : { kind: 'record', topic, partition: Number(partition), offset: Number(offset) };
}

/** What the address of the page names: `?call=…`, `?case=…`, `?event=…` or `?record=topic/partition/offset`. */
export function pickedIn(query: string): Picked | undefined {
  const values = new URLSearchParams(query);
  for (const kind of ['call', 'case', 'event'] as const) {
    const id = values.get(kind);
    if (id) return { kind, id: id.slice(0, ID_CHARACTERS_MAX) };
  }
  return placeOf(values.get('record') ?? '');
}

/** The address that verifies this. */
export function hrefOf(one: Picked): string {
  const value = one.kind === 'record' ? `${one.topic}/${one.partition}/${one.offset}` : one.id;
  return `/audit?${one.kind}=${encodeURIComponent(value)}`;
}

/** The text that names it, as an auditor would write it. */
export const textOf = (one: Picked): string => (one.kind === 'record' ? `${one.topic}/${one.partition}/${one.offset}` : one.id);
