import { compareBytes } from '@countersign/verifier';

/** A record of a call, with the hash of its leaf. */
export interface CallRecord {
  topic: string;
  partition: number;
  offset: number;
  leaf: Buffer;
  tenant_id: string;
  call_id: string;
  /** The request of its call, if it was known when the record was read. */
  request?: CallRequest | undefined;
}

/** The first request of a call on the log. */
export interface CallRequest {
  /** `none` or `case`: the answer once an entry covers the request. */
  of: CaseOfCall;
  topic: string;
  partition: number;
  offset: number;
  isCovered: boolean;
}

/** The records of one case that an entry counts. */
export interface CasePart {
  tenant_id: string;
  case_id: string;
  /** By topic, partition and offset. */
  records: readonly CallRecord[];
}

/** `none`: the call has no case, or its request is not on the log. `later`: no entry covers the request yet. */
export type CaseOfCall = { kind: 'case'; case_id: string } | { kind: 'none' } | { kind: 'later' };

/** Finds the case of a call by its request. */
export interface CasesOfCalls {
  of(record: CallRecord): CaseOfCall | Promise<CaseOfCall>;
}

/** The part of a case that is being collected. */
interface OpenPart extends CasePart {
  records: CallRecord[];
}

const byPlace = (a: CallRecord, b: CallRecord) =>
  (a.topic === b.topic ? 0 : compareBytes(a.topic, b.topic)) || a.partition - b.partition || a.offset - b.offset;
const byCase = (a: CasePart, b: CasePart) =>
  (a.tenant_id === b.tenant_id ? 0 : compareBytes(a.tenant_id, b.tenant_id)) || compareBytes(a.case_id, b.case_id);

/**
 * Splits what entries cover into cases. A record counts in the first entry that covers both it and the request of its call. So the parts
 * follow from the log and its entries alone, whenever they are computed.
 */
export class CaseParts<R extends CallRecord = CallRecord> {
  /** `waiting`: records of earlier entries whose requests no entry covered yet. */
  constructor(
    private readonly calls: CasesOfCalls,
    private waiting: R[] = [],
  ) {}

  get pending(): readonly R[] {
    return this.waiting;
  }

  /** Gives up records that wait for a request which is not on the log any more. */
  forget(isLost: (record: R) => boolean): void {
    this.waiting = this.waiting.filter((record) => !isLost(record));
  }

  /** The cases that an entry touches, in the order of their leaves. `records`: what the entry covers first. */
  async cover(records: readonly R[]): Promise<CasePart[]> {
    const parts = new OpenParts();
    const before = this.waiting;
    this.waiting = [];
    for (const record of before.length > 0 ? [...before, ...records] : records) {
      const found = this.calls.of(record);
      const of = found instanceof Promise ? await found : found;
      if (of.kind === 'later') this.waiting.push(record);
      else if (of.kind === 'case') parts.add(record, of.case_id);
    }
    return parts.sorted();
  }
}

/** Parts of cases by tenant and case. */
class OpenParts {
  private readonly all: OpenPart[] = [];
  private readonly tenants = new Map<string, Map<string, OpenPart>>();

  add(record: CallRecord, case_id: string): void {
    const { tenant_id } = record;
    let cases = this.tenants.get(tenant_id);
    if (!cases) {
      cases = new Map();
      this.tenants.set(tenant_id, cases);
    }
    const part = cases.get(case_id);
    if (part) part.records.push(record);
    else {
      const opened = { tenant_id, case_id, records: [record] };
      cases.set(case_id, opened);
      this.all.push(opened);
    }
  }

  sorted(): CasePart[] {
    for (const { records } of this.all) if (records.length > 1) records.sort(byPlace);
    return this.all.sort(byCase);
  }
}
