import { type Bundle, verifyBundle } from '@countersign/evidence';
import { describe, expect, test } from 'vitest';
import { journalNames, readJournal } from '../journals/journal-file.js';
import { EvidenceLog, evidenceSigner, withCauseHashes } from './evidence-log.js';
import { shownAs } from './left-out.js';

const log = new EvidenceLog(withCauseHashes(readJournal(journalNames()[0] as string)));
const trust = { log: evidenceSigner.verifier, witnesses: [] };
const verdict = (bundle: Bundle) => verifyBundle(JSON.parse(JSON.stringify(bundle)) as Bundle, trust).kind;
const isLaterVote = ({ event_type, offset }: { event_type: string; offset: number }) => event_type === 'approval_voted' && offset > 0;
const voted = log.events.find(isLaterVote) as (typeof log.events)[number];
const whole = await log.bundle(voted.event.meta.call_id as string);
const used = new Set(whole.records.map(({ value }) => String(Buffer.from(value, 'base64').readUInt32BE(1))));
const honest: Bundle = { ...whole, schemas: Object.fromEntries(Object.entries(whole.schemas).filter(([id]) => used.has(id))) };

type Path = readonly (string | number)[];

/** Each number, text and null of a bundle, and where it is; without what is too large to try. */
function placesIn(value: unknown, path: Path = []): { path: Path; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  return Object.entries(value).flatMap(([name, item]) => (name === 'schemas' ? [] : placesIn(item, [...path, name])));
}

/** Every field of the first record and of the bundle, and some of all others: each takes a verification of the whole bundle. */
const places = placesIn(honest).filter(({ path: [part, record, member] }, n) =>
  part === 'records' && (record !== '0' || member === 'event') ? n % 97 === 0 : true,
);

function changed(path: Path, value: unknown): Bundle {
  const bundle = structuredClone(honest);
  const names = [...path];
  const last = names.pop() as string;
  const at = names.reduce<Record<string, unknown>>((part, name) => part[name] as Record<string, unknown>, bundle as never);
  at[last] = value;
  return bundle;
}

/** What reads like a value, in other types. */
const likenesses = (value: unknown): unknown[] =>
  typeof value === 'number'
    ? [`${value}`, `0${value}`, ` ${value}`, [value], value + 0.5, `0x${value.toString(16)}`, ...(value === 1 ? [true] : [])]
    : [[value], { value }, ...(value === null || value === '' ? [[], 0, false] : [])];

describe('what reads like a field of a bundle in another type', () => {
  test('is refused', () => {
    expect(verdict(honest)).toBe('verified');
    const accepted = places.flatMap(({ path, value }) =>
      likenesses(value)
        .filter((like) => verdict(changed(path, like)) !== 'refused')
        .map((like) => `${path.join('.')}: ${JSON.stringify(like)}`),
    );
    expect(accepted).toEqual([]);
  });

  test('does not show a vote twice, at one offset that is written in two ways', () => {
    const at = honest.records.findIndex(isLaterVote);
    const vote = honest.records[at] as Bundle['records'][number];
    const again = { ...vote, offset: `0${vote.offset}` as unknown as number };
    const twice = shownAs(honest, [...honest.records.slice(0, at + 1), again, ...honest.records.slice(at + 1)]);
    expect(twice.calls[0]?.votes.length).toBe((honest.calls[0]?.votes.length ?? 0) + 1);
    expect(verdict(twice)).toBe('refused');
  });

  test('is no id of a schema', () => {
    const [[id, text], ...others] = Object.entries(honest.schemas) as [[string, string], ...[string, string][]];
    for (const like of [` ${id}`, `0x${Number(id).toString(16)}`, `${id}.0`, `0${id}`])
      expect([like, verdict({ ...honest, schemas: Object.fromEntries([[like, text], ...others]) })]).toEqual([like, 'refused']);
  });
});
