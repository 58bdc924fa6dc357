import type { KeptText, RecordScan } from '@countersign/evidence';
import { headName, type TreeSpan } from '@countersign/proofs';
import { Gauge, type Registry } from 'prom-client';
import { LogPass } from './log-pass.js';
import { repeatWork, type WorkTerms } from './repeated-work.js';

const PAGE_RECORDS = 500;
const LOOK_MS = 1_000;
/** Pause between the end of a pass and the next pass. */
const BETWEEN_PASSES_MS = 3_600_000;

/** Progress of the passes over the whole log. */
interface Passes {
  /** End of the last full pass; null before the first. */
  finished_ms: number | null;
  /** The last tree that the current pass has completed; null if none. */
  done: string | null;
}

export interface ScrubberParts extends WorkTerms {
  scan: RecordScan;
  /** Stores the progress of the current pass across restarts. */
  kept: KeptText;
  now_ms(): number;
}

/** Continuously compares the signed log with the signed heads: new records at once, all records in slow passes. */
export class Scrubber {
  /** The offset up to which each tree was compared as it grew. */
  private readonly seen = new Map<string, number>();
  private passes: Passes = { finished_ms: null, done: null };

  constructor(private readonly parts: ScrubberParts) {}

  /** Resolves when the process stops. Everything signed at the start counts as old. */
  async run(): Promise<void> {
    const { parts } = this;
    await Promise.all([repeatWork(parts, LOOK_MS, () => this.compareNew()), repeatWork(parts, LOOK_MS, () => this.pass())]);
  }

  /** Milliseconds since the last full pass ended; NaN before the first. */
  age(): number {
    const { finished_ms } = this.passes;
    return finished_ms === null ? Number.NaN : this.parts.now_ms() - finished_ms;
  }

  /** Compares the records that were signed since the last time. */
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

  /** Runs a pass if one is due, or continues an interrupted one. */
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

  /** Everything signed was compared just now, by any process. */
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

/** `countersign_scrub_age_seconds`: seconds since the last full pass over the signed log. */
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
