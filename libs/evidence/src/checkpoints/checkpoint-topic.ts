import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { DEFAULT_TENANT, type EventCodec, type EventMap, firstMeta } from '@countersign/contracts';
import type { EventLog, NewRecord, SchemaSource } from '@countersign/event-log';
import { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
import { BrokenRecord } from '../trees/broken-record.js';
import type { CheckpointRecord, StoredHead } from './checkpoint-store.js';

export const CHECKPOINT_TOPIC = 'checkpoint-signed';
const PAGE_RECORDS = 500;
/** An entry may be appended twice; the copy follows at most this many records later. */
const APART_MAX = 32;

/** Checks entries while they are read: numbers must be consecutive, and duplicates equal. */
class SeenEntries {
  private readonly recent = new Map<number, string>();

  constructor(private next: number) {}

  /** @throws BrokenRecord */
  isNext(record: CheckpointRecord): boolean {
    const { number } = record;
    if (number > this.next) throw new BrokenRecord(`${CHECKPOINT_TOPIC} has no checkpoint ${this.next + 1}: ${number + 1} is in its place`);
    const text = textOf(record);
    const known = this.recent.get(number);
    if (known !== undefined && known !== text)
      throw new BrokenRecord(`${CHECKPOINT_TOPIC} has two checkpoints ${number + 1}, which differ`);
    if (number < this.next) return false;
    this.recent.set(number, text);
    this.recent.delete(number - APART_MAX);
    this.next++;
    return true;
  }
}

/** The topic with every signed checkpoint in full, in the order of numbers. Duplicates of an entry are equal. */
export class CheckpointTopic {
  private readonly decoder: BatchDecoder;

  constructor(
    private readonly log: EventLog,
    private readonly codec: EventCodec,
    schemas?: SchemaSource,
  ) {
    this.decoder = new BatchDecoder(codec, schemas);
  }

  /** Resolves when all records are durable. */
  async append(records: readonly CheckpointRecord[]): Promise<void> {
    await this.log.append(records.map((record) => this.recordOf(record)));
  }

  /** Size of the newest checkpoint on the topic, 0 if there is none. @throws BrokenRecord for a record that is not a checkpoint */
  async size(): Promise<number> {
    const [first, head] = [await this.log.first(CHECKPOINT_TOPIC, 0), await this.log.head(CHECKPOINT_TOPIC, 0)];
    let size = 0;
    for (let at = Math.max(first, head - APART_MAX); at < head; ) {
      const page = await this.page(at, head - at);
      if (page.length === 0) break;
      at += page.length;
      for (const { number } of page) size = Math.max(size, number + 1);
    }
    return size;
  }

  /**
   * The checkpoints from this number on, each once.
   * @throws BrokenRecord if one is missing or has a different duplicate
   */
  async *entries(from: number): AsyncGenerator<CheckpointRecord> {
    const head = await this.log.head(CHECKPOINT_TOPIC, 0);
    const seen = new SeenEntries(from);
    // Checkpoint n is at offset n, or later if earlier ones have duplicates.
    for (let at = Math.max(from, await this.log.first(CHECKPOINT_TOPIC, 0)); at < head; ) {
      const page = await this.page(at, Math.min(PAGE_RECORDS, head - at));
      if (page.length === 0) return;
      at += page.length;
      for (const record of page) if (seen.isNext(record)) yield record;
      await yieldToOthers();
    }
  }

  private async page(from: number, records_max: number): Promise<CheckpointRecord[]> {
    const records = await this.log.read(CHECKPOINT_TOPIC, 0, from, records_max);
    await this.decoder.learn(records);
    return records.map((record) => {
      const at = this.decoder.once(record);
      if (at?.event_type !== 'checkpoint_signed') throw new BrokenRecord(`${CHECKPOINT_TOPIC} offset ${record.offset} is not a checkpoint`);
      return storedOf(at.event);
    });
  }

  private recordOf({ heads, decisions, cut, ...rest }: CheckpointRecord): NewRecord {
    const event = {
      meta: firstMeta(DEFAULT_TENANT, rest.time_ms),
      ...rest,
      heads: heads.map(([topic, partition, size, root, generation = null]) => ({ topic, partition, size, root, generation })),
      decisions: decisions ? JSON.stringify(decisions) : null,
      cut: cut?.number ?? null,
      cut_is_open: cut?.state === 'open',
    };
    const value = this.codec.encode('checkpoint_signed', event);
    return { topic: CHECKPOINT_TOPIC, partition: 0, key: null, value, headers: { event_type: 'checkpoint_signed' } };
  }
}

function storedOf(event: EventMap['checkpoint_signed']): CheckpointRecord {
  const { number, time_ms, trees, heads_root, full, note, decisions, cut, cut_is_open } = event;
  const heads = event.heads.map(({ topic, partition, size, root, generation }): StoredHead => {
    if (!generation) return [topic, partition, size, root];
    const { number, base_offset, decision } = generation;
    return [topic, partition, size, root, { number, base_offset, decision }];
  });
  const more = {
    ...(decisions === null ? {} : { decisions: decisionsIn(number, decisions) }),
    ...(cut === null ? {} : { cut: { number: cut, state: cut_is_open ? ('open' as const) : ('closed' as const) } }),
  };
  return { number, time_ms, trees, heads_root, full, heads, note, ...more };
}

/** @throws BrokenRecord for a record that no signer wrote */
function decisionsIn(number: number, text: string): NonNullable<CheckpointRecord['decisions']> {
  try {
    return JSON.parse(text) as NonNullable<CheckpointRecord['decisions']>;
  } catch (cause) {
    throw new BrokenRecord(`${CHECKPOINT_TOPIC} has decisions of checkpoint ${number + 1} that cannot be read`, undefined, { cause });
  }
}

/** The text by which two copies of a checkpoint are compared. */
export function textOf({ number, time_ms, trees, heads_root, full, heads, note, decisions, cut }: CheckpointRecord): string {
  return JSON.stringify([number, time_ms, trees, heads_root, full, heads, note, decisions, cut && [cut.number, cut.state]]);
}
