import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { EventCodec } from '@countersign/contracts';
import type { EventLog, LogRecord, NewRecord } from '@countersign/event-log';
import { readJournal, rewriteJournal } from '@countersign/event-log/testing/rewritten-journal';
import { CHECKPOINT_TOPIC, CheckpointTopic } from '@countersign/evidence';
import type { CheckpointRecord } from '@countersign/evidence/checkpoints/checkpoint-store';
import { auditDir, logDir, type Target } from './product-attack.js';

const FILE = '000000000000.ndjson';
const storeFile = (target: Target) => auditDir(target, 'checkpoints', FILE);

/** The checkpoints in the store: fewer than one file holds. */
export function storedCheckpoints(target: Target): CheckpointRecord[] {
  const lines = readFileSync(storeFile(target), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as CheckpointRecord);
}

export function storeCheckpoints(target: Target, records: readonly CheckpointRecord[]): void {
  writeFileSync(storeFile(target), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

/** Forgets what was checked and cosigned, as the owner of the disk can. */
export function forgetMarks(target: Target): void {
  for (const name of ['checked.json', 'cosigned.json']) rmSync(auditDir(target, name), { force: true });
}

/** The values of the records of some checkpoints. */
async function valuesOf(records: readonly CheckpointRecord[]): Promise<Buffer[]> {
  let written: readonly NewRecord[] = [];
  const log = {
    append: async (appended: readonly NewRecord[]) => {
      written = appended;
    },
  };
  await new CheckpointTopic(log as unknown as EventLog, new EventCodec()).append(records);
  return written.map(({ value }) => value);
}

/** Writes other checkpoints onto the topic: as many as there are, or fewer. */
export async function storeOnTopic(target: Target, records: readonly CheckpointRecord[]): Promise<void> {
  const before = (await readJournal(logDir(target))).filter(({ topic }) => topic === CHECKPOINT_TOPIC);
  if (before.length < records.length) throw new Error(`the topic has ${before.length} checkpoints, not ${records.length}`);
  const values = await valuesOf(records);
  await editTopic(target, (record) => {
    const value = values[record.offset];
    return value ? [{ ...record, value }] : [];
  });
}

export async function editTopic(target: Target, edit: (record: LogRecord) => readonly LogRecord[]): Promise<void> {
  await rewriteJournal(logDir(target), (record) => (record.topic === CHECKPOINT_TOPIC ? edit(record) : [record]));
}
