import { createHash } from 'node:crypto';
import { type CallTopic, laneTopic } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';

const CALL_TOPICS: readonly CallTopic[] = [
  ...(['tool-call-requested', 'policy-decided', 'approval-voted', 'approval-granted', 'tool-executed', 'compensation'] as const),
];
const FOLDED_TOPICS = ['configuration-changed', 'tool-registered', 'security-event'] as const;
/** No view shows these topics: their lists are read from the log. */
const LISTED_TOPICS = ['dead-letter', 'record-damage'] as const;

/** One partition of a topic whose records streams show. */
export interface Slot {
  topic: string;
  partition: number;
  /** Whether the views fold it. */
  is_folded: boolean;
}

/** The next offset of each slot: everything below was shown. Never changed in place once it is shared. */
export type Place = readonly number[];

/** The partitions that streams read, in the order in which a cursor names them. */
export class LogLayout {
  private readonly index = new Map<string, number>();

  private constructor(
    readonly slots: readonly Slot[],
    /** Differs between installations, and when lanes or partitions are added. */
    readonly tag: Buffer,
  ) {
    for (const [index, { topic, partition }] of slots.entries()) this.index.set(`${topic}/${partition}`, index);
  }

  static async of(log: Pick<EventLog, 'partitions' | 'read'>, lanes: readonly string[]): Promise<LogLayout> {
    const ofCalls = [...lanes].sort().flatMap((lane) => CALL_TOPICS.map((topic) => laneTopic(topic, lane)));
    const slotsOf = (topic: string, is_folded: boolean): Slot[] =>
      Array.from({ length: log.partitions(topic) }, (_, partition) => ({ topic, partition, is_folded }));
    const folded = [...ofCalls, ...FOLDED_TOPICS].flatMap((topic) => slotsOf(topic, true));
    const slots = [...folded, ...LISTED_TOPICS.flatMap((topic) => slotsOf(topic, false))];
    const [first] = await log.read('configuration-changed', 0, 0, 1);
    const digest = createHash('sha256').update(JSON.stringify(slots));
    return new LogLayout(
      slots,
      digest
        .update(first?.value ?? '')
        .digest()
        .subarray(0, 6),
    );
  }

  get topics(): string[] {
    return [...new Set(this.slots.map(({ topic }) => topic))];
  }

  /** -1 if streams do not read it. */
  slotOf(topic: string, partition: number): number {
    return this.index.get(`${topic}/${partition}`) ?? -1;
  }
}
