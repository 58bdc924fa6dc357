import { EXTERNAL_ID_MAX, externalIdOf, REFERENCE_PREFIX } from '@countersign/domain';
import { z } from 'zod';

const ENTRIES_MAX = 20;
const VALUE_MAX = 200;

/** A case is named by its id, or by `ext:` and its reference. */
export const CASE_ID_MAX = REFERENCE_PREFIX.length + EXTERNAL_ID_MAX;

/** The caller's own reference, in NFC. */
export const externalId = z
  .string()
  .min(1, { abort: true })
  .max(EXTERNAL_ID_MAX, { abort: true })
  .refine(
    (text) => externalIdOf(text) !== undefined,
    'must have visible characters only, no space at either end, and must not begin with ext:',
  )
  .transform((text) => text.normalize('NFC'));

export const metadataKey = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'a key is 1 to 40 of a-z, 0-9 and _, and begins with a letter');
/** Control characters and lone surrogates: a JSON column cannot store them. */
const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;
const metadataValue = z
  .string()
  .max(VALUE_MAX)
  .refine((text) => !UNSTORABLE.test(text), 'has no control characters and no lone surrogates');

/** The caller's own key-value texts about a case or a call. Policies do not read them. */
export const metadata = z
  .record(metadataKey, metadataValue)
  .refine((entries) => Object.keys(entries).length <= ENTRIES_MAX, `has at most ${ENTRIES_MAX} entries`)
  .describe(
    `your own keys and values: at most ${ENTRIES_MAX}, values of at most ${VALUE_MAX} characters. Do not put personal data here: it is not sealed`,
  );

type Metadata = z.infer<typeof metadata>;

/** The recorded form: sorted keys. Null: the request has no metadata. */
export function metadataJson(entries: Metadata | undefined): string | null {
  if (entries === undefined) return null;
  return JSON.stringify(Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1))));
}

export const metadataOf = (json: string | null | undefined): Metadata => (json ? (JSON.parse(json) as Metadata) : {});

interface Own {
  external_id?: string | undefined;
  metadata?: Metadata | undefined;
}

/** The texts of a request that are recorded without encryption. */
export const ownTexts = ({ external_id = '', metadata: entries = {} }: Own): string[] => [external_id, ...Object.values(entries)];

/** The name of a request with a reference, used in place of `context.request_id`. */
export const nameOfRequest = ({ external_id }: Own): string | null =>
  external_id === undefined ? null : `${REFERENCE_PREFIX}${external_id}`;
