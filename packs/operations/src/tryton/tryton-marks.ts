import { addedMark, markOf, marksIn } from '../hermes/attempt-mark.js';
import type { Values } from '../hermes/port.js';
import { escaped } from './tryton-ids.js';
import type { TrytonKind } from './tryton-kinds.js';

/** Codes of a party that are marks of attempts. */
const MARK_CODE = /^cs:[\w-]{22}$/;

interface Identifier {
  id: number;
  code: string;
}

const identifiersOf = (record: Values): Identifier[] =>
  ((record['identifiers.'] ?? []) as Identifier[]).filter(({ code }) => MARK_CODE.test(code));

/** The text of a record in which the marks of attempts are. */
export function markedText({ marks }: TrytonKind, record: Values): string {
  if (marks !== 'identifiers') return String(record.reference ?? '');
  return identifiersOf(record)
    .map(({ code }) => code)
    .join(' ');
}

/** The values that add a mark to a record. A party keeps the newest alone: it was made by people. */
export function withMark({ marks }: TrytonKind, record: Values, key: string): Values {
  if (marks !== 'identifiers') return { reference: addedMark(String(record.reference ?? ''), key) };
  const code = `cs:${markOf(key)}`;
  const [known] = identifiersOf(record);
  return { identifiers: [known ? ['write', [known.id], { code }] : ['create', [{ code }]]] };
}

/** The domain of records that carry the mark of an attempt. */
export function markedBy({ marks }: TrytonKind, key: string): unknown[] {
  const mark = markOf(key);
  return marks === 'identifiers' ? [['identifiers.code', '=', `cs:${mark}`]] : [['reference', 'like', `%cs:${escaped(mark)}%`]];
}

/** Whether a record carries the mark of an attempt, and not only a part of it. */
export const carries = (kind: TrytonKind, record: Values, key: string): boolean => marksIn(markedText(kind, record)).includes(markOf(key));
