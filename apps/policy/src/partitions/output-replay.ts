import { type EventCodec, laneTopic } from '@countersign/contracts';
import { evolveRulings, initialRulings, type RulingState } from '@countersign/domain';
import { BatchDecoder, type EventLog, PartitionReplay, type Recorded, type SchemaSource } from '@countersign/event-log';
import { AnsweredOffsets } from './answered-offsets.js';
import { RulingHashes } from './ruling-hashes.js';
import type { PartitionStart } from './ruling-partition.js';

const INPUTS = ['tool-call-requested', 'approval-voted', 'tool-executed'] as const;
const OUTPUTS = ['policy-decided', 'approval-granted'] as const;

/** A snapshot of the state, and the log positions from which to replay. */
export interface PolicySnapshot {
  state: RulingState;
  hlc: number;
  /** Topic name on the log → offset. */
  inputs: Record<string, number>;
  outputs: Record<string, number>;
  /** Leaf hashes of rulings whose calls wait, by event_id; absent in snapshots of earlier releases. */
  hashes?: [event_id: string, leaf_hash: string][];
}

const EVENTS_AT_ONCE = 1000;
/** More records than can be decided but not yet written (`pending_records_max`): no answer is missing further back. */
const REREAD_RECORDS = 50_000;

/** The offset where an input resumes: at or after the snapshot, and at or before the first record whose answer a crash may have lost. */
function resume(answered: AnsweredOffsets, from: number): number {
  return Math.max(from, answered.end - REREAD_RECORDS);
}

function answer(answered: Map<string, AnsweredOffsets>, event: Recorded): void {
  const source = 'source' in event.event ? event.event.source : null;
  if (source) answered.get(source.topic)?.add(source.offset);
}

/**
 * Restores a partition from its own output: open approval requests, calls in flight, and which input records have an answer. Replays both
 * outputs by hlc, which is the order of the decisions. Reads ends on tool-executed again as input. Ignores a snapshot that does not fit
 * the log.
 */
export async function replayOutputs(
  from: { log: EventLog; codec: EventCodec; schemas?: SchemaSource | undefined },
  lane: string,
  partition: number,
  snapshot: PolicySnapshot | undefined,
): Promise<PartitionStart> {
  const { log, codec, schemas } = from;
  const outputTopics = OUTPUTS.map((topic) => laneTopic(topic, lane));
  const inputTopics = INPUTS.map((topic) => laneTopic(topic, lane));
  const heads = new Map(
    await Promise.all([...outputTopics, ...inputTopics].map(async (topic) => [topic, await log.head(topic, partition)] as const)),
  );
  const known = snapshot && fits(snapshot, heads) ? snapshot : undefined;
  const state = known?.state ?? initialRulings();
  const hashes = new RulingHashes(state, new Map(known?.hashes));
  let hlc = known?.hlc ?? 0;
  const inputs = new Map(inputTopics.map((topic) => [topic, known?.inputs[topic] ?? 0]));
  const answered = new Map([...inputs].map(([topic, offset]) => [topic, new AnsweredOffsets(offset)]));
  const outputs = new Map(outputTopics.map((topic) => [topic, heads.get(topic) as number]));
  const stretches = [...outputs].map(([topic, to]) => ({ topic, from: known?.outputs[topic] ?? 0, to }));
  const replay = new PartitionReplay({ log, decoder: new BatchDecoder(codec, schemas) }, partition, stretches);
  for await (const events of replay.batches(EVENTS_AT_ONCE)) {
    for (const event of events) {
      evolveRulings(state, event, event.traceparent);
      hashes.read(event);
      answer(answered, event);
      hlc = Math.max(hlc, event.event.meta.hlc);
    }
  }
  const ends = laneTopic('tool-executed', lane);
  for (const [topic, from] of inputs) if (topic !== ends) inputs.set(topic, resume(answered.get(topic) as AnsweredOffsets, from));
  return { lane, partition, state, hlc, inputs, answered, outputs, hashes };
}

function fits(snapshot: PolicySnapshot, heads: ReadonlyMap<string, number>): boolean {
  const positions = [...Object.entries(snapshot.inputs), ...Object.entries(snapshot.outputs)];
  return positions.length === heads.size && positions.every(([topic, offset]) => offset <= (heads.get(topic) ?? Number.NEGATIVE_INFINITY));
}
