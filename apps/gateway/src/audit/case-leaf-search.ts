import { peekMeta } from '@countersign/contracts';
import type { CaseLeaf, CasesStart, CaseTopic } from '@countersign/evidence';

const PAGE_LEAVES = 500;
/** A leaf follows its records within seconds; this many leaves are searched after the time of a record. */
const SEARCHED_MAX = 20_000;
/** Clocks of the log's brokers differ by less. */
const SKEW_MS = 5_000;
const TRIES_MAX = 8;
/** A case with more leaves has no chain in its bundles. */
export const LEAVES_MAX = 200;

/** The leaves from a start of cases on, below an offset. */
export interface LeafRange {
  start: CasesStart;
  end: number;
}

interface OfCase {
  tenant_id: string;
  case_id: string;
}

/** Finds the leaves of a case on the log. */
export class CaseLeafSearch {
  constructor(private readonly topic: CaseTopic) {}

  /** The leaves of a case in a range, oldest first. `times_ms`: of the records of the case. Empty if there are none, or too many. */
  async chain(of: OfCase, times_ms: readonly number[], range: LeafRange): Promise<CaseLeaf[]> {
    const newest = await this.newest(of, times_ms, range);
    const chain: CaseLeaf[] = [];
    for (let leaf = newest; leaf; leaf = await this.before(leaf, range.start)) {
      chain.unshift(leaf);
      if (chain.length > LEAVES_MAX) return [];
    }
    return chain;
  }

  private async before({ previous }: CaseLeaf, { generation }: CasesStart): Promise<CaseLeaf | undefined> {
    return previous === null ? undefined : (await this.topic.read(previous, 1, generation))[0];
  }

  /** Searches after the newest record, then after earlier ones: the newest leaf may not be covered yet. */
  private async newest(of: OfCase, times_ms: readonly number[], range: LeafRange): Promise<CaseLeaf | undefined> {
    const times = [...new Set(times_ms)].sort((a, b) => b - a);
    for (let tried = 0, at = 0; tried < TRIES_MAX && at < times.length; tried++, at = at * 2 + 1) {
      const found = await this.lastAfter(of, (times[at] as number) - SKEW_MS, range);
      if (found) return found;
    }
    return undefined;
  }

  private async lastAfter({ tenant_id, case_id }: OfCase, from_ms: number, { start, end }: LeafRange): Promise<CaseLeaf | undefined> {
    const from = Math.max(start.offset, await this.topic.since(from_ms));
    let found: CaseLeaf | undefined;
    for (let at = from; at < Math.min(end, from + SEARCHED_MAX); ) {
      const page = await this.topic.records(at, Math.min(PAGE_LEAVES, end - at));
      if (page.length === 0) break;
      for (const record of page) {
        if (peekMeta(record.value)?.tenant_id !== tenant_id) continue;
        const leaf = this.topic.leafOf(record, start.generation);
        if (leaf.entry >= start.entry && leaf.case_id === case_id && (!found || leaf.entry > found.entry)) found = leaf;
      }
      at += page.length;
    }
    return found;
  }
}
