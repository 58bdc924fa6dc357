import type { Change } from './change.js';
import type { Place } from './log-layout.js';
import type { StreamCursor } from './stream-cursor.js';

type Step = readonly [slot: number, next: number];

interface Pending {
  change: Change;
  /** The records that its event covers, besides its own. */
  covers: Step[];
}

/** An event to send, and where a stream resumes after it. */
export interface DueChange {
  change: Change;
  after: StreamCursor;
}

/**
 * The changes that a stream has not sent yet, one per item: the newest replaces the earlier ones and takes its place at the end. So the
 * cursor after each event is exact: every record up to it was sent, or is covered by a later event that is not sent yet.
 */
export class PendingChanges {
  private readonly changes = new Map<string, Pending>();

  constructor(private place: number[]) {}

  get size(): number {
    return this.changes.size;
  }

  add(change: Change): void {
    const key = `${change.kind} ${change.id}`;
    const before = this.changes.get(key);
    this.changes.delete(key);
    const covers = before ? covered(before) : [];
    this.changes.set(key, { change, covers });
  }

  /** Adds the changes that others have collected, behind its own. `isSent`: leaves out what was sent already. */
  append(others: PendingChanges, isSent: (change: Change) => boolean): void {
    for (const [key, { change, covers }] of others.changes) {
      if (isSent(change)) continue;
      const before = this.changes.get(key);
      this.changes.delete(key);
      this.changes.set(key, { change, covers: before ? [...covered(before), ...covers] : covers });
    }
  }

  /** Takes the oldest change. */
  next(): DueChange | undefined {
    const first = this.changes.entries().next();
    if (first.done) return undefined;
    const [key, { change, covers }] = first.value;
    this.changes.delete(key);
    for (const [slot, next] of covers) this.pass(slot, next);
    return { change, after: this.after(change) };
  }

  /** Everything up to here was sent, or concerns other streams. */
  passed(place: Place): void {
    this.place = this.place.map((next, slot) => Math.max(next, place[slot] ?? 0));
  }

  clear(): void {
    this.changes.clear();
  }

  get cursor(): StreamCursor {
    return { place: this.place };
  }

  /** Items of one record stand behind each other: where a cut between them resumes at the record, it skips the sent ones. */
  private after({ slot, offset, item }: Change): StreamCursor {
    const following = this.changes.values().next().value?.change;
    if (following?.slot === slot && following.offset === offset) {
      this.pass(slot, offset);
      return { place: [...this.place], part: { slot, items: item + 1 } };
    }
    this.pass(slot, offset + 1);
    return { place: [...this.place] };
  }

  private pass(slot: number, next: number): void {
    if ((this.place[slot] ?? 0) < next) this.place[slot] = next;
  }
}

/** All records of a slot up to the newest one are covered, so one step for each slot is enough. */
function covered({ change: { slot, offset }, covers }: Pending): Step[] {
  const own: Step = [slot, offset + 1];
  return [...covers.filter(([other, next]) => other !== slot || next > offset + 1), own];
}
