import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { EventCodec, eventSchemas } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { topicSpecs } from '@countersign/process';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import { JourneyWorld } from '../journeys/journey-world.js';
import { JOURNALS, type JournalRecord, journalBytes } from './journal-file.js';
import { liveThrough } from './lived-day.js';

const AT_ONCE = 500;
const PARTITIONS = 4;

/** Every record of the log of a platform that has stopped, in the order of their times. */
async function recordsIn(dir: string): Promise<JournalRecord[]> {
  const log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log') });
  try {
    await log.ensureTopics(topicSpecs(['shared'], PARTITIONS));
    const records: JournalRecord[] = [];
    for (const { name } of topicSpecs(['shared'], PARTITIONS))
      for (let partition = 0; partition < log.partitions(name); partition++)
        for (let offset = 0; ; ) {
          const read = await log.read(name, partition, offset, AT_ONCE);
          if (read.length === 0) break;
          records.push(
            ...read.map(({ topic, key, headers, value, timestamp_ms, ...at }) => ({
              topic,
              partition,
              offset: at.offset,
              timestamp_ms,
              key,
              headers,
              value: Buffer.from(value),
            })),
          );
          offset += read.length;
        }
    return records.sort(
      (a, b) =>
        a.timestamp_ms - b.timestamp_ms ||
        (a.topic < b.topic ? -1 : Number(a.topic > b.topic)) ||
        a.partition - b.partition ||
        a.offset - b.offset,
    );
  } finally {
    await log.close();
  }
}

function schemasOf(records: readonly JournalRecord[]): Record<string, string> {
  const codec = new EventCodec();
  const used = new Set(records.map(({ value }) => codec.schemaId(value)));
  return Object.fromEntries(eventSchemas.filter(({ id }) => used.has(id)).map(({ id, schema }) => [String(id), schema]));
}

/** `npm run journals:record`: lives through a day of calls on a platform of its own and keeps its log. */
const at = new JourneyWorld();
let platform: EmbeddedPlatform | undefined;
await at.open(async (env) => {
  platform = await EmbeddedPlatform.start(env);
  return platform;
});
try {
  await liveThrough(at);
  await (platform as EmbeddedPlatform).process.stop();
  const records = await recordsIn((platform as EmbeddedPlatform).dataDir);
  const recorded_at = new Date(records.at(-1)?.timestamp_ms ?? 0).toISOString();
  const bytes = journalBytes({ recorded_at, schemas: schemasOf(records), records });
  const name = `${recorded_at.slice(0, 10)}.journal.br`;
  writeFileSync(path.join(JOURNALS, name), bytes);
  process.stdout.write(`${name}: ${records.length} records, ${bytes.length} bytes\n`);
} finally {
  await at.close();
}
