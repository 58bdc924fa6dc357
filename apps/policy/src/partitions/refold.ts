import { type EventCodec, laneTopic } from '@countersign/contracts';
import { evolveRulings, initialRulings, type RulingState } from '@countersign/domain';
import { BatchDecoder, type EventLog, type LogRecord, type Recorded, type SchemaSource } from '@countersign/event-log';
import { AnsweredOffsets } from './answered-offsets.js';
import type { PartitionStart } from './ruling-partition.js';

const INPUTS = ['tool-call-requested', 'approval-voted', 'tool-executed'] as const;
const OUTPUTS = ['policy-decided', 'approval-granted'] as const;

/** A shortcut: a state, and the positions between which and the heads the log has to be read. */
export interface PolicySnapshot {
  state: RulingState;
  hlc: number;
  /** Topic name on the log → offset. */
  inputs: Record<string, number>;
  outputs: Record<string, number>;
}

/** Reads one output partition from an offset to the head as of the first look, an event at a time. */
class OutputReader {
  private events: Recorded[] = [];
  private at = 0;
  private next: number;

  constructor(
    private readonly from: { log: EventLog; decoder: BatchDecoder; topic: string; partition: number; head: number },
    offset: number,
  ) {
    this.next = offset;
  }

  /** The event at hand; undefined at the head, or where `fill` has to be awaited first. */
  get current(): Recorded | undefined {
    return this.events[this.at];
  }

  get mustFill(): boolean {
    return this.at >= this.events.length && this.next < this.from.head;
  }

  skip(): void {
    this.at++;
  }

  async fill(): Promise<void> {
    const { log, decoder, topic, partition, head } = this.from;
    if (this.next === 0) this.next = await log.first(topic, partition);
    const records: LogRecord[] = await log.read(topic, partition, this.next, READ_RECORDS);
    const { events } = await decoder.decode(records);
    this.events = events;
    this.at = 0;
    this.next = records.length === 0 ? head : (records.at(-1) as LogRecord).offset + 1;
  }
}

const READ_RECORDS = 1000;
/** More records than can be decided and not yet written (`pending_records_max`): further back no answer is missing. */
const REREAD_RECORDS = 50_000;

/** Where an input goes on: no earlier than the snapshot, no later than the first answer that a crash may have cost. */
function resume(answered: AnsweredOffsets, from: number): number {
  return Math.max(from, answered.highest + 1 - REREAD_RECORDS);
}

function answer(answered: Map<string, AnsweredOffsets>, event: Recorded): void {
  const source = 'source' in event.event ? event.event.source : null;
  if (source) answered.get(source.topic)?.add(source.offset);
}

/**
 * Where a partition stands, from its own output alone: open questions and calls in flight, and which records of its
 * inputs have an answer. Both outputs are merged by hlc, which is the order in which they were decided. Ends on
 * tool-executed are read again as input. A snapshot that does not fit the log is left aside.
 */
export async function refold(
  from: { log: EventLog; codec: EventCodec; schemas?: SchemaSource | undefined },
  lane: string,
  partition: number,
  snapshot: PolicySnapshot | undefined,
): Promise<PartitionStart> {
  const { log, codec, schemas } = from;
  const [decided, granted] = OUTPUTS.map((topic) => laneTopic(topic, lane)) as [string, string];
  const inputs = INPUTS.map((topic) => laneTopic(topic, lane));
  const heads = new Map(
    await Promise.all([decided, granted, ...inputs].map(async (topic) => [topic, await log.head(topic, partition)] as const)),
  );
  const known = snapshot && fits(snapshot, heads) ? snapshot : undefined;
  const state = known?.state ?? initialRulings();
  let hlc = known?.hlc ?? 0;
  const starts = new Map(inputs.map((topic) => [topic, known?.inputs[topic] ?? 0]));
  const answered = new Map(inputs.map((topic) => [topic, new AnsweredOffsets(starts.get(topic) as number)]));
  const decoder = new BatchDecoder(codec, schemas);
  const read = (topic: string) =>
    new OutputReader({ log, decoder, topic, partition, head: heads.get(topic) as number }, known?.outputs[topic] ?? 0);
  const rulings = read(decided);
  const grants = read(granted);
  for (;;) {
    while (rulings.mustFill) await rulings.fill();
    while (grants.mustFill) await grants.fill();
    const ruling = rulings.current;
    const grant = grants.current;
    const first = !grant || (ruling && ruling.event.meta.hlc <= grant.event.meta.hlc) ? ruling : grant;
    if (!first) break;
    evolveRulings(state, first, first.traceparent);
    answer(answered, first);
    hlc = Math.max(hlc, first.event.meta.hlc);
    (first === ruling ? rulings : grants).skip();
  }
  const ends = laneTopic('tool-executed', lane);
  for (const [topic, from] of starts) if (topic !== ends) starts.set(topic, resume(answered.get(topic) as AnsweredOffsets, from));
  const outputs = new Map([decided, granted].map((topic) => [topic, heads.get(topic) as number]));
  return { lane, partition, state, hlc, inputs: starts, answered, outputs };
}

function fits(snapshot: PolicySnapshot, heads: ReadonlyMap<string, number>): boolean {
  const positions = [...Object.entries(snapshot.inputs), ...Object.entries(snapshot.outputs)];
  return positions.length === heads.size && positions.every(([topic, offset]) => offset <= (heads.get(topic) ?? -1));
}
