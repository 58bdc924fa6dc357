import { randomInt } from 'node:crypto';
import type { EventLog } from '@countersign/event-log';
import type { RecordScan } from '@countersign/evidence';
import type { TreeSpan } from '@countersign/proofs';

const NEWEST_RECORDS = 10_000;
const RANDOM_RECORDS = 1_000;
/** The random sample is skipped once a start has spent this time. */
const SPENT_MAX_MS = 300;
const PAGE_RECORDS = 500;

/** The records that a tree covers and that are still on the log: from `first` to the end of the span. */
interface Left {
  span: TreeSpan;
  first: number;
}

/** The records that a start has compared. */
export interface StartSample {
  newest: number;
  random: number;
  spent_ms: number;
  isDamaged: boolean;
}

/** Compares the newest 10,000 records, an equal share of each tree, and 1,000 unpredictable random ones. */
export async function scanAtStart(log: Pick<EventLog, 'first'>, scan: RecordScan): Promise<StartSample> {
  const since = performance.now();
  const trees: Left[] = [];
  for (const span of await scan.signed()) {
    const first = Math.max(span.first, await log.first(span.head.topic, span.head.partition));
    if (first < span.end) trees.push({ span, first });
  }
  const sample: StartSample = { newest: 0, random: 0, spent_ms: 0, isDamaged: false };
  for (const { span, first } of newestOf(trees)) {
    for (let at = first; at < span.end; ) {
      const scanned = await scan.page(span, at, PAGE_RECORDS);
      sample.newest += scanned.records;
      sample.isDamaged ||= scanned.isDamaged;
      at = scanned.next;
    }
  }
  for (const { span, first } of randomOf(trees)) {
    if (performance.now() - since > SPENT_MAX_MS) break;
    const scanned = await scan.page(span, first, 1);
    sample.random += scanned.records;
    sample.isDamaged ||= scanned.isDamaged;
  }
  return { ...sample, spent_ms: Math.round(performance.now() - since) };
}

/** The newest records of each tree; the unused share of a short tree goes to the longer ones. */
function newestOf(trees: readonly Left[]): Left[] {
  const shortest = [...trees].sort((a, b) => a.span.end - a.first - (b.span.end - b.first));
  let left = NEWEST_RECORDS;
  return shortest.map(({ span, first }, at) => {
    const count = Math.min(span.end - first, Math.ceil(left / (shortest.length - at)));
    left -= count;
    return { span, first: span.end - count };
  });
}

function randomOf(trees: readonly Left[]): Left[] {
  const total = trees.reduce((sum, { span, first }) => sum + span.end - first, 0);
  if (total <= NEWEST_RECORDS) return [];
  const places = Array.from({ length: RANDOM_RECORDS }, () => placeOf(trees, randomInt(total)));
  // Sorted so that neighbours share a read.
  return places.sort(
    (a, b) => trees.findIndex(({ span }) => span === a.span) - trees.findIndex(({ span }) => span === b.span) || a.first - b.first,
  );
}

function placeOf(trees: readonly Left[], number: number): Left {
  let rest = number;
  for (const { span, first } of trees) {
    if (rest < span.end - first) return { span, first: first + rest };
    rest -= span.end - first;
  }
  throw new RangeError(`record ${number} does not exist`);
}
