import type { EventMap } from '@countersign/contracts';
import type { CallRecord, CaseOfCall, CasesOfCalls } from '@countersign/evidence';
import type { FollowedLeaf } from './followed-tree.js';

/** The cases of the calls whose requests a monitor has read. */
export class RequestedCalls implements CasesOfCalls {
  private readonly cases: Map<string, string | null>;

  constructor(stored: Iterable<[string, string | null]> = []) {
    this.cases = new Map(stored);
  }

  note({ record }: FollowedLeaf): void {
    if (record?.decoded?.event_type !== 'tool_call_requested') return;
    const { meta, call } = record.decoded.event as EventMap['tool_call_requested'];
    // The first request of a call decides.
    if (meta.call_id !== null && !this.cases.has(meta.call_id)) this.cases.set(meta.call_id, call.case_id);
  }

  of({ call_id }: CallRecord): CaseOfCall {
    const case_id = this.cases.get(call_id);
    if (case_id === undefined) return { kind: 'later' };
    return case_id === null ? { kind: 'none' } : { kind: 'case', case_id };
  }

  get stored(): [string, string | null][] {
    return [...this.cases];
  }
}
