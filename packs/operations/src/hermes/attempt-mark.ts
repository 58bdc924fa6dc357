import { createHash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MARK = /(^|\s)cs:([A-Za-z0-9_-]{22})(?=\s|$)/g;

/** The key of an attempt in 22 characters, short enough for the reference field of every system. */
export function markOf(key: string): string {
  const bytes = UUID.test(key) ? Buffer.from(key.replaceAll('-', ''), 'hex') : createHash('sha256').update(key).digest().subarray(0, 16);
  return bytes.toString('base64url');
}

/** A reference of people with the mark of an attempt behind it: `Q-17 cs:<22 characters>`. */
export function marked(reference: string, key: string): string {
  return `${unmarked(reference)} cs:${markOf(key)}`.trim();
}

/** The marks in a reference. */
export function marksIn(reference: string): string[] {
  return [...reference.matchAll(MARK)].map(([, , mark]) => mark as string);
}

/** A reference without its marks: nobody can write a mark of another attempt into it. */
export function unmarked(reference: string): string {
  return reference.replace(MARK, '').trim();
}

/** A reference with one mark more. The first one, of the attempt that created the record, stays; of later ones only the newest. */
export function addedMark(reference: string, key: string): string {
  const [first] = marksIn(reference);
  const own = markOf(key);
  const marks = first === undefined || first === own ? [own] : [first, own];
  return [unmarked(reference), ...marks.map((mark) => `cs:${mark}`)].join(' ').trim();
}
