export interface Timed {
  /** Slot of the item in the wheel; null while it is not scheduled. Only the wheel writes it. */
  slot: number | null;
  /** Called once, within one tick after its time. */
  due(): void;
}

const TICK_MS = 25;
const SLOTS = 4096;

/** Uses one interval for all waits of the process instead of one timer each. Delays of up to 100 s, at most one tick late. */
export class TimerWheel {
  private readonly slots: Set<Timed>[] = Array.from({ length: SLOTS }, () => new Set<Timed>());
  private readonly timer: NodeJS.Timeout;
  private at = 0;
  private readonly started: number;

  constructor(private readonly monotonic_ms: () => number) {
    this.started = monotonic_ms();
    this.timer = setInterval(() => this.advance(), TICK_MS);
    this.timer.unref();
  }

  /** Adds the item, or moves it to its new time. */
  add(item: Timed, delay_ms: number): void {
    this.remove(item);
    const ticks = Math.min(SLOTS - 1, Math.max(1, Math.ceil(delay_ms / TICK_MS)));
    const slot = (this.at + ticks) % SLOTS;
    (this.slots[slot] as Set<Timed>).add(item);
    item.slot = slot;
  }

  remove(item: Timed): void {
    if (item.slot === null) return;
    (this.slots[item.slot] as Set<Timed>).delete(item);
    item.slot = null;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private advance(): void {
    const until = Math.floor((this.monotonic_ms() - this.started) / TICK_MS);
    let left = until - this.ticksDone;
    while (left-- > 0) this.tick();
  }

  private ticksDone = 0;

  private tick(): void {
    this.ticksDone++;
    this.at = (this.at + 1) % SLOTS;
    const slot = this.slots[this.at] as Set<Timed>;
    if (slot.size === 0) return;
    const items = [...slot];
    slot.clear();
    for (const item of items) item.slot = null;
    for (const item of items) item.due();
  }
}
