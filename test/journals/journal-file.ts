import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { EventCodec } from '@countersign/contracts';
import type { ReadEvent } from '@countersign/decisions';

/** Where the journals are kept; specs run from the root. */
export const JOURNALS = path.join(process.cwd(), 'test/journals');

/** A record as it stood on the log. */
export interface JournalRecord {
  topic: string;
  partition: number;
  offset: number;
  timestamp_ms: number;
  key: string | null;
  headers: Record<string, string>;
  value: Buffer;
}

interface Head {
  recorded_at: string;
  /** Schema id on the wire → the schema that wrote it. */
  schemas: Record<string, string>;
  records: (Omit<JournalRecord, 'value'> & { bytes: number })[];
}

/** A recorded log: what wrote it, and its records in the order of their times. */
export interface Journal {
  name: string;
  recorded_at: string;
  schemas: Record<string, string>;
  records: JournalRecord[];
}

const HEAD_BYTES = 4;

/** One compressed file: the length of the head, the head, the values. */
export function journalBytes({ recorded_at, schemas, records }: Omit<Journal, 'name'>): Buffer {
  const head: Head = { recorded_at, schemas, records: records.map(({ value, ...rest }) => ({ ...rest, bytes: value.length })) };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(HEAD_BYTES);
  length.writeUInt32BE(text.length);
  const whole = Buffer.concat([length, text, ...records.map(({ value }) => value)]);
  return brotliCompressSync(whole, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } });
}

export function readJournal(name: string): Journal {
  const whole = brotliDecompressSync(readFileSync(path.join(JOURNALS, name)));
  let at = HEAD_BYTES + whole.readUInt32BE(0);
  const { records, ...head } = JSON.parse(whole.subarray(HEAD_BYTES, at).toString()) as Head;
  return {
    name,
    ...head,
    records: records.map(({ bytes, ...rest }) => {
      at += bytes;
      return { ...rest, value: whole.subarray(at - bytes, at) };
    }),
  };
}

/** Every journal that is kept. */
export const journalNames = (): string[] =>
  readdirSync(JOURNALS)
    .filter((name) => name.endsWith('.journal.br'))
    .sort();

/** The events of a journal, read by today's schemas; those that wrote it are taken from the file. */
export function eventsOf({ records, schemas }: Journal): ReadEvent[] {
  const codec = new EventCodec();
  for (const [id, text] of Object.entries(schemas)) codec.addWriterSchema(Number(id), text);
  return records.map(({ value, headers, topic, partition, offset, timestamp_ms }) => {
    const { event_type, event } = codec.decode(value);
    return { event_type, event, topic, partition, offset, timestamp_ms, traceparent: headers.traceparent } as ReadEvent;
  });
}
