import type { KeptText, RecordScan } from '@countersign/evidence';
import { headName, type TreeSpan } from '@countersign/proofs';
import { Gauge, type Registry } from 'prom-client';
import { LogPass } from './log-pass.js';
import { repeatWork, type WorkTerms } from './repeated-work.js';

const PAGE_RECORDS = 500;
const LOOK_MS = 1_000;
/** A pass begins this long after the one before ended. */
const BETWEEN_PASSES_MS = 3_600_000;

/** How far the passes over the whole log are. */
interface Passes {
  /** When the last full pass ended; null before the first. */
  finished_ms: number | null;
  /** The tree that the running pass has done last; null where none is done. */
  done: string | null;
}

export interface ScrubberParts extends WorkTerms {
  scan: RecordScan;
  /** Where the place of the running pass is kept over restarts. */
  kept: KeptText;
  now_ms(): number;
}

/** Reads the signed log again and again and compares it with the signed head: the new part at once, all of it in slow passes. */
export class Scrubber {
  /** Up to where each tree was compared as it grew. */
  private readonly seen = new Map<string, number>();
  private passes: Passes = { finished_ms: null, done: null };

  constructor(private readonly parts: ScrubberParts) {}

  /** Resolves when the process stops. What is signed at the first look counts as old. */
  async run(): Promise<void> {
    const { parts } = this;
    await Promise.all([repeatWork(parts, LOOK_MS, () => this.compareNew()), repeatWork(parts, LOOK_MS, () => this.pass())]);
  }

  /** Milliseconds since the last full pass ended; not a number before the first. */
  age(): number {
    const { finished_ms } = this.passes;
    return finished_ms === null ? Number.NaN : this.parts.now_ms() - finished_ms;
  }

  /** Compares what was signed since the last look. */
  async compareNew(): Promise<void> {
    const { scan, pace } = this.parts;
    const isFirst = this.seen.size === 0;
    for (const span of await scan.signed()) {
      const name = nameOf(span);
      let at = this.seen.get(name) ?? (isFirst ? span.end : span.first);
      while (at < span.end && !pace.isStopped) at = (await scan.page(span, at, PAGE_RECORDS)).next;
      this.seen.set(name, at);
    }
  }

  /** Does a pass where one is due, or goes on with one that a stop has cut. */
  async pass(): Promise<void> {
    const { kept, scan, pace, logger } = this.parts;
    this.passes = passesIn(await kept.read());
    if (this.passes.done === null && this.age() < BETWEEN_PASSES_MS) return;
    const pass = new LogPass(scan, pace, logger);
    for (const span of [...(await scan.signed())].sort(byName)) {
      const name = nameOf(span);
      if (this.passes.done !== null && name <= this.passes.done) continue;
      for await (const _ of pass.tree(span)) if (!this.goesOn) return;
      if (!this.goesOn) return;
      await this.keep({ ...this.passes, done: name });
    }
    await this.finished();
  }

  /** All that is signed was compared just now, whoever did it. */
  async finished(): Promise<void> {
    await this.keep({ finished_ms: this.parts.now_ms(), done: null });
  }

  private get goesOn(): boolean {
    return this.parts.owner.isOwner && !this.parts.pace.isStopped;
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
    help: 'Seconds since the last full comparison of the signed records with the signed head; NaN before the first',
    registers: [register],
    collect() {
      this.set(scrubber.age() / 1000);
    },
  });
}
