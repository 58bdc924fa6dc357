/** A record of a call, with the hash of its leaf. */
export interface CallRecord {
  topic: string;
  partition: number;
  offset: number;
  leaf: Buffer;
  tenant_id: string;
  call_id: string;
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

const byText = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const byPlace = (a: CallRecord, b: CallRecord) =>
  (a.topic === b.topic ? 0 : byText(a.topic, b.topic)) || a.partition - b.partition || a.offset - b.offset;

/**
 * Splits what entries cover into cases. A record counts in the first entry that covers both it and the request of its call. So the parts
 * follow from the log and its entries alone, whenever they are computed.
 */
export class CaseParts {
  /** `waiting`: records of earlier entries whose requests no entry covered yet. */
  constructor(
    private readonly calls: CasesOfCalls,
    private waiting: CallRecord[] = [],
  ) {}

  get pending(): readonly CallRecord[] {
    return this.waiting;
  }

  /** The cases that an entry touches, in the order of their leaves. `records`: what the entry covers first. */
  async cover(records: readonly CallRecord[]): Promise<CasePart[]> {
    const parts = new Map<string, { tenant_id: string; case_id: string; records: CallRecord[] }>();
    const before = this.waiting;
    this.waiting = [];
    for (const record of [...before, ...records]) {
      const found = this.calls.of(record);
      const of = found instanceof Promise ? await found : found;
      if (of.kind === 'later') this.waiting.push(record);
      if (of.kind !== 'case') continue;
      const { tenant_id } = record;
      const { case_id } = of;
      const name = `${tenant_id}\n${case_id}`;
      const part = parts.get(name);
      if (part) part.records.push(record);
      else parts.set(name, { tenant_id, case_id, records: [record] });
    }
    for (const part of parts.values()) part.records.sort(byPlace);
    return [...parts.values()].sort((a, b) => byText(a.tenant_id, b.tenant_id) || byText(a.case_id, b.case_id));
  }
}
