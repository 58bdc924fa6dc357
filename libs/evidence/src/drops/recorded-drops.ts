import type { EventCodec } from '@countersign/contracts';
import type { EventLog, SchemaSource } from '@countersign/event-log';
import { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
import {
  baseOf,
  coveredEnd,
  endOf,
  GrowingTree,
  type NoteVerifier,
  newestHead,
  openCheckpoint,
  parseNote,
  recordHash,
  type TreeHead,
} from '@countersign/proofs';
import type { CheckpointStore, NewestCheckpoint } from '../checkpoints/checkpoint-store.js';
import { treeName } from '../trees/tiles.js';

const CONFIGURATION = { topic: 'configuration-changed', partition: 0 } as const;
const PAGE_RECORDS = 500;

/** A `log_dropped` on the log: its offset, and the offsets below which records may be dropped. */
export interface RecordedDrop {
  offset: number;
  below: ReadonlyMap<string, number>;
}

/** The sources of drops and of their signatures. */
export interface DropSources {
  log: EventLog;
  codec: EventCodec;
  schemas?: SchemaSource | undefined;
  checkpoints: CheckpointStore;
  verifier: NoteVerifier;
}

/**
 * The drops on the log that a checkpoint covers: below its head of `configuration-changed`, in records that match what was signed. Ignores
 * records that the checkpoint does not cover, that name more than their own checkpoint covered, or that are in a frozen tree of this topic,
 * which cannot be hashed again.
 */
export async function signedDrops(sources: DropSources, under: NewestCheckpoint | undefined): Promise<RecordedDrop[]> {
  const head = newestHead(under?.heads.values() ?? [], CONFIGURATION);
  if (!head || (await sources.log.first(CONFIGURATION.topic, CONFIGURATION.partition)) > 0) return [];
  const { drops, root } = await readUpTo(sources, head);
  return root.equals(head.root) ? drops : [];
}

/** Tree → the offset below which these drops allow records to be missing. */
export function droppedBelow(drops: readonly RecordedDrop[]): Map<string, number> {
  const below = new Map<string, number>();
  for (const drop of drops) for (const [tree, offset] of drop.below) below.set(tree, Math.max(offset, below.get(tree) ?? 0));
  return below;
}

async function readUpTo(sources: DropSources, head: TreeHead): Promise<{ drops: RecordedDrop[]; root: Buffer }> {
  const decoder = new BatchDecoder(sources.codec, sources.schemas);
  const tree = new GrowingTree();
  const drops: RecordedDrop[] = [];
  for (let at = baseOf(head); at < endOf(head); ) {
    const page = await sources.log.read(CONFIGURATION.topic, CONFIGURATION.partition, at, Math.min(PAGE_RECORDS, endOf(head) - at));
    if (page.length === 0) break;
    at += page.length;
    tree.append(Buffer.concat(page.map(recordHash)));
    const { events } = await decoder.decode(page.filter(({ headers }) => headers.event_type === 'log_dropped'));
    for (const event of events) {
      if (event.event_type !== 'log_dropped') continue;
      const below = await belowOf(event.event, sources);
      if (below) drops.push({ offset: event.offset, below });
    }
  }
  return { drops, root: await tree.root() };
}

type DropEvent = { checkpoint: string; below: readonly { topic: string; partition: number; offset: number }[] };

/** Undefined if its checkpoint is not of this log, or does not cover the named offsets. */
async function belowOf({ checkpoint, below }: DropEvent, sources: DropSources): Promise<ReadonlyMap<string, number> | undefined> {
  const signed = openCheckpoint(checkpoint, sources.verifier);
  const kept = signed && (await sources.checkpoints.at(signed.size - 1));
  if (!kept || parseNote(kept.record.note)?.text !== signed.note.text) return undefined;
  const heads = [...kept.heads.values()];
  // Releases before 0030 named no offsets: everything that the checkpoint covers was dropped.
  if (below.length === 0) return new Map(heads.map((head) => [treeName(head.topic, head.partition), coveredEnd(heads, head)]));
  const isCovered = below.every((part) => part.offset <= coveredEnd(heads, part));
  return isCovered ? new Map(below.map(({ topic, partition, offset }) => [treeName(topic, partition), offset])) : undefined;
}
