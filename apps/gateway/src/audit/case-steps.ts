import { callTopics, laneTopic, peekMeta } from '@countersign/contracts';
import { BatchDecoder } from '@countersign/event-log';
import { type CallRecord, type CaseLeaf, CaseParts, grownBy, readCalls } from '@countersign/evidence';
import type { AppDeps, Evidence } from '@countersign/process';
import { headName, type TreeHead } from '@countersign/proofs';

/** The records that one entry adds to a case, in the order of its leaf. */
export interface CaseStepRecords {
  entry: number;
  cut: number;
  records: readonly CallRecord[];
}

/** Reads the records that the leaves of a case count, entry by entry. */
export class CaseSteps {
  private readonly decoder: BatchDecoder;

  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas'>,
    private readonly checkpoints: Evidence['checkpoints'],
  ) {
    this.decoder = new BatchDecoder(deps.codec, deps.schemas);
  }

  /** `lane`: that of the tenant. Undefined if an entry is not stored. */
  async of(chain: readonly CaseLeaf[], lane: string): Promise<CaseStepRecords[] | undefined> {
    const calls = new Set<string>();
    const of = ({ call_id }: CallRecord) => (calls.has(call_id) ? ({ kind: 'case', case_id: '' } as const) : ({ kind: 'none' } as const));
    const parts = new CaseParts({ of });
    const steps: CaseStepRecords[] = [];
    for (const { tenant_id, case_id, entry, cut } of chain) {
      const grown = await this.grown(entry, lane);
      if (!grown) return undefined;
      const read = await Promise.all(grown.map((range) => readCalls(this.deps.log, range)));
      const requests = read.flatMap((found) => found.requests).filter(({ value }) => peekMeta(value)?.tenant_id === tenant_id);
      const { events } = await this.decoder.decode(requests);
      for (const at of events)
        if (at.event_type === 'tool_call_requested' && at.event.call.case_id === case_id) calls.add(at.event.meta.call_id as string);
      const [part] = await parts.cover(read.flatMap((found) => found.calls));
      steps.push({ entry, cut, records: part?.records ?? [] });
    }
    return steps;
  }

  /** What an entry covers first of the topics of calls. */
  private async grown(entry: number, lane: string): Promise<ReturnType<typeof grownBy>[] | undefined> {
    const [at, before] = await Promise.all([this.checkpoints.at(entry), entry === 0 ? undefined : this.checkpoints.at(entry - 1)]);
    if (!at || (entry > 0 && !before)) return undefined;
    const topics = new Set(callTopics.map((topic) => laneTopic(topic, lane)));
    const sizeBefore = (head: TreeHead) => before?.heads.get(headName(head))?.size ?? 0;
    const moved = [...at.heads.values()].filter((head) => topics.has(head.topic) && head.size > sizeBefore(head));
    return moved.map((head) => grownBy(head, sizeBefore(head)));
  }
}
