import type { ProjectionOffset } from '@countersign/store';
import type { ChangeRecord } from './change.js';
import type { LogLayout, Place, Slot } from './log-layout.js';

/** Records of one slot that wait for the views. Beyond it the slot is not read on. */
const WAITING_MAX = 2_000;

interface SlotState extends Slot {
  /** The next offset to read from the log. */
  read: number;
  /** The next offset to show. */
  shown: number;
  order: number;
  waiting: ChangeRecord[];
  resume: (() => void)[];
}

/** How far each slot was read and shown, and the changes between the two. */
export class FeedSlots {
  readonly states: readonly SlotState[];

  constructor(
    readonly layout: LogLayout,
    from: Place,
  ) {
    this.states = layout.slots.map((slot, index) => {
      const next = from[index] as number;
      return { ...slot, read: next, shown: next, order: 0, waiting: [], resume: [] };
    });
  }

  get shown(): Place {
    return this.states.map(({ shown }) => shown);
  }

  get read(): Place {
    return this.states.map(({ read }) => read);
  }

  /** Whether records were read and not shown yet. */
  get isBehind(): boolean {
    return this.states.some(({ read, shown }) => read > shown);
  }

  /** Whether changes wait to be shown. */
  get hasChanges(): boolean {
    return this.states.some(({ waiting }) => waiting.length > 0);
  }

  add(slot: number, records: readonly ChangeRecord[], next: number): void {
    const state = this.states[slot] as SlotState;
    state.waiting.push(...records);
    state.order = records.at(-1)?.order ?? state.order;
    state.read = Math.max(state.read, next);
  }

  /** Resolves when the slot may be read on. */
  waitForCapacity(slot: number): Promise<void> | undefined {
    const state = this.states[slot] as SlotState;
    return state.waiting.length < WAITING_MAX ? undefined : new Promise((resolve) => state.resume.push(resolve));
  }

  /** Whether the views have folded records that were not read from the log yet. */
  isBehindViews(folded: ReadonlyMap<string, number>): boolean {
    return this.states.some((state) => state.is_folded && nextOf(folded, state) > state.read && state.waiting.length < WAITING_MAX);
  }

  /** Takes what the views show, and everything of topics that no view shows. */
  take(folded: ReadonlyMap<string, number>): ChangeRecord[] {
    const taken: ChangeRecord[] = [];
    for (const state of this.states) {
      const limit = state.is_folded ? Math.min(state.read, nextOf(folded, state)) : state.read;
      if (limit <= state.shown) continue;
      state.shown = limit;
      const end = state.waiting.findIndex(({ offset }) => offset >= limit);
      taken.push(...state.waiting.splice(0, end < 0 ? state.waiting.length : end));
      for (const resume of state.resume.splice(0)) resume();
    }
    return taken;
  }

  close(): void {
    for (const { resume } of this.states) for (const end of resume.splice(0)) end();
  }
}

const nextOf = (folded: ReadonlyMap<string, number>, { topic, partition }: Slot): number => folded.get(`${topic}/${partition}`) ?? 0;

/** The next offset of each partition that the views have folded. */
export const foldedOffsets = (rows: readonly ProjectionOffset[]): ReadonlyMap<string, number> =>
  new Map(rows.map(({ topic, partition, next_offset }) => [`${topic}/${partition}`, next_offset]));

/** Whether a place covers another one in every slot. */
export const covers = (place: Place, other: Place): boolean => other.every((next, slot) => (place[slot] ?? 0) >= next);
