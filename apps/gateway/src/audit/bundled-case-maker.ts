import { CASES_TOPIC } from '@countersign/contracts';
import { type BundledCase, type BundledRecord, type Cosigned, casesStart, type ProofReader, plain } from '@countersign/evidence';
import type { AppDeps, Evidence } from '@countersign/process';
import { coveredEnd } from '@countersign/proofs';
import { CaseLeafSearch } from './case-leaf-search.js';
import { CaseSteps } from './case-steps.js';
import { type FoundRecord } from './records-of-calls.js';

/** Adds the newest leaf of its case to a bundle. */
export class BundledCaseMaker {
  private readonly search: CaseLeafSearch | undefined;
  private readonly steps: CaseSteps;

  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas'>,
    private readonly evidence: Evidence,
    private readonly proofs: ProofReader,
  ) {
    this.search = evidence.cases && new CaseLeafSearch(evidence.cases);
    this.steps = new CaseSteps(deps, evidence.checkpoints);
  }

  /** Undefined if no leaf of the case is covered, or the calls have none. `found`: the records of the bundle, in its order; all is proven under `checkpoint`. */
  async make(
    tenant_id: string,
    lane: string,
    found: readonly FoundRecord[],
    checkpoint: Cosigned | undefined,
  ): Promise<BundledCase | undefined> {
    const case_id = caseOf(found);
    const covered = checkpoint && (await this.evidence.checkpoints.at(checkpoint.number));
    if (case_id === undefined || !this.search || !covered) return undefined;
    const end = coveredEnd(covered.heads.values(), { topic: CASES_TOPIC, partition: 0 });
    const times = found.flatMap(({ event, record }) => (event.event.meta.call_id === null ? [] : [record.timestamp_ms]));
    const start = await casesStart(this.evidence.checkpoints, covered);
    const chain = await this.search.chain({ tenant_id, case_id }, times, { start, end });
    const newest = chain.at(-1);
    const steps = newest && (await this.steps.of(chain, lane));
    if (!newest || !steps) return undefined;
    const places = new Map(found.map(({ record }, at) => [placeOf(record), at]));
    const leaf = await this.leafRecord(newest.offset, checkpoint);
    if (!leaf) return undefined;
    const items = steps.map(({ entry, cut, records }) => ({
      ...{ entry, cut },
      records: records.map((record) => places.get(placeOf(record)) ?? record.leaf.toString('base64')),
    }));
    return { leaf, steps: items };
  }

  private async leafRecord(offset: number, cosigned: Cosigned | undefined): Promise<BundledRecord | undefined> {
    const [record] = await this.deps.log.read(CASES_TOPIC, 0, offset, 1);
    const proven = record && (await this.proofs.proveAll([record], cosigned));
    if (proven?.kind !== 'proofs' || !record) return undefined;
    const { topic, partition, timestamp_ms, key, headers, value } = record;
    const { event_type, event } = this.deps.codec.decode(value);
    const { checkpoint: _, ...proof } = proven.proofs[0] as (typeof proven.proofs)[number];
    return {
      topic,
      partition,
      offset,
      timestamp_ms,
      key,
      headers,
      value: value.toString('base64'),
      event_type,
      event: plain(event),
      proof,
    };
  }
}

const placeOf = ({ topic, partition, offset }: { topic: string; partition: number; offset: number }) => `${topic}/${partition}/${offset}`;

/** The one case of all calls of a bundle. */
function caseOf(found: readonly FoundRecord[]): string | undefined {
  const cases = new Set(found.flatMap(({ event: at }) => (at.event_type === 'tool_call_requested' ? [at.event.call.case_id] : [])));
  const [only] = cases;
  return cases.size === 1 && only !== null ? only : undefined;
}
