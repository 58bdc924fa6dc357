import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from '@countersign/event-log';
import type { KeptText, RecordScan } from '@countersign/evidence';
import type { Logger } from '@countersign/process';
import { headName, type TreeSpan } from '@countersign/proofs';
import { Gauge, type Registry } from 'prom-client';

const PAGE_RECORDS = 500;
const LOOK_MS = 1_000;
/** Rest after work, in times of what the work took: at most 5 % of a core for what is old. */
const REST_FACTOR = 19;
/** A pass begins this long after the one before ended. */
const BETWEEN_PASSES_MS = 3_600_000;
const AGAIN_MS = 5_000;

/** How far the passes over the whole log are. */
interface Passes {
  /** When the last full pass ended; null before the first. */
  finished_ms: number | null;
  /** The tree that the running pass has done last; null where none is done. */
  done: string | null;
}

export interface ScrubberParts {
  log: Pick<EventLog, 'first'>;
  scan: RecordScan;
  /** Where the place of the running pass is kept over restarts. */
  kept: KeptText;
  /** Whether it is this process that looks after the trees. */
  owner: { readonly isOwner: boolean };
  now_ms(): number;
  logger: Pick<Logger, 'warn'>;
}

/** Reads the signed log again and again and compares it with the signed head: the new part at once, all of it in slow passes. */
export class Scrubber {
  private readonly stopping = new AbortController();
  /** Up to where each tree was compared as it grew. */
  private readonly seen = new Map<string, number>();
  private passes: Passes = { finished_ms: null, done: null };
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: ScrubberParts) {}

  /** What is signed at the first look counts as old. */
  start(): void {
    this.running = Promise.all([this.repeat(LOOK_MS, () => this.compareNew()), this.repeat(LOOK_MS, () => this.pass())]);
  }

  /** Milliseconds since the last full pass ended; not a number before the first. */
  age(): number {
    const { finished_ms } = this.passes;
    return finished_ms === null ? Number.NaN : this.parts.now_ms() - finished_ms;
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async repeat(every_ms: number, work: () => Promise<void>): Promise<void> {
    for (let pause_ms = every_ms; !this.isStopped; await this.rest(pause_ms)) {
      try {
        if (this.parts.owner.isOwner) await work();
        pause_ms = every_ms;
      } catch (cause) {
        this.parts.logger.warn({ event: 'scrub_paused', cause: String(cause) }, 'the log could not be compared: tried again');
        pause_ms = AGAIN_MS;
      }
    }
  }

  private async rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopping.signal, ref: false }).catch(() => undefined);
  }

  /** Compares what was signed since the last look. */
  async compareNew(): Promise<void> {
    const { scan } = this.parts;
    const isFirst = this.seen.size === 0;
    for (const span of await scan.signed()) {
      const name = nameOf(span);
      let at = this.seen.get(name) ?? (isFirst ? span.end : span.first);
      while (at < span.end && !this.isStopped) at = (await scan.page(span, at, PAGE_RECORDS)).next;
      this.seen.set(name, at);
    }
  }

  /** Does a pass where one is due, or goes on with one that a stop has cut. */
  async pass(): Promise<void> {
    const { kept, scan, now_ms } = this.parts;
    this.passes = passesIn(await kept.read());
    if (this.passes.done === null && this.age() < BETWEEN_PASSES_MS) return;
    for (const span of [...(await scan.signed())].sort(byName)) {
      const name = nameOf(span);
      if (this.passes.done !== null && name <= this.passes.done) continue;
      await this.compareTree(span);
      if (this.isStopped || !this.parts.owner.isOwner) return;
      await this.keep({ ...this.passes, done: name });
    }
    await this.keep({ finished_ms: now_ms(), done: null });
  }

  private async compareTree(span: TreeSpan): Promise<void> {
    const { log, scan, owner, logger } = this.parts;
    let unproven = 0;
    const first = await log.first(span.head.topic, span.head.partition);
    for (let at = Math.max(first, span.first); at < span.end && !this.isStopped && owner.isOwner; ) {
      const since = performance.now();
      const scanned = await scan.page(span, at, PAGE_RECORDS);
      unproven += scanned.unproven;
      at = scanned.next;
      await this.rest((performance.now() - since) * REST_FACTOR);
    }
    if (unproven === 0 || this.isStopped || !owner.isOwner) return;
    logger.warn(
      { event: 'records_unproven', tree: nameOf(span), records: unproven },
      'tiles above these records are torn: the tree is hashed anew',
    );
    await this.rehash(span);
  }

  private async rehash(span: TreeSpan): Promise<void> {
    const hashing = this.parts.scan.rehash(span);
    for (let since = performance.now(); !this.isStopped && !(await hashing.next()).done; since = performance.now())
      await this.rest((performance.now() - since) * REST_FACTOR);
  }

  private async keep(passes: Passes): Promise<void> {
    const { kept } = this.parts;
    await kept.replace(await kept.read(), JSON.stringify(passes));
    this.passes = passes;
  }
}

const nameOf = ({ head }: TreeSpan) => headName(head);
const byName = (a: TreeSpan, b: TreeSpan) => (nameOf(a) < nameOf(b) ? -1 : 1);

function passesIn(text: string | undefined): Passes {
  try {
    const { finished_ms, done } = JSON.parse(text ?? '{}') as Partial<Passes>;
    return { finished_ms: typeof finished_ms === 'number' ? finished_ms : null, done: typeof done === 'string' ? done : null };
  } catch {
    return { finished_ms: null, done: null };
  }
}

/** `countersign_scrub_age_seconds`: how long ago a full pass over the signed log ended. */
export function measureScrub(scrubber: Scrubber, register: Registry): void {
  new Gauge({
    name: 'countersign_scrub_age_seconds',
    help: 'Seconds since every signed record was compared with the signed head; NaN before the first full pass',
    registers: [register],
    collect() {
      this.set(scrubber.age() / 1000);
    },
  });
}
