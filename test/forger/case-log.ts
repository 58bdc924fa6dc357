import { CASES_TOPIC, EventCodec, eventSchemas, firstMeta, peekMeta } from '@countersign/contracts';
import { type CallRecord, type CaseOfCall, CaseParts, type NewCaseLeaf } from '@countersign/evidence';
import { type Course, courses, SampleHistory } from '@countersign/projector/testing/sample-history';
import { type Cut, caseHash, caseStart, nodeHashing, type RecordToCover, recordHash, strictBase64 } from '@countersign/proofs';
import type { Claim } from './history.js';
import { Random } from './random.js';

const TENANTS = ['acme', 'rival'];
const codec = new EventCodec();
const CASES = `${CASES_TOPIC}/0`;

/** What a dishonest signer does to the leaves of one entry, given the honest ones and the parts that they count. */
export type LeafLie = (leaves: NewCaseLeaf[], random: Random) => NewCaseLeaf[];

/** The records of an honest log of calls with cases of two tenants. */
function records(random: Random): RecordToCover[] {
  return TENANTS.flatMap((tenant_id, serial) => {
    const history = new SampleHistory({ serial, tenant_id, first_offset: 0 });
    const calls = random.between(4, 12);
    for (let n = 0; n < calls; n++)
      history.call(random.pick([...courses]) as Course, random.below(5) === 0 ? null : `c-${random.below(3)}`);
    // Each tenant has its own partition.
    return history.events.map(({ topic, event_type, event, offset }) => {
      const value = codec.encode(event_type, event as never);
      return { topic, partition: serial, offset, timestamp_ms: offset, key: null, headers: { event_type }, value };
    });
  });
}

const nameOf = ({ topic, partition }: RecordToCover) => `${topic}/${partition}`;

function callRecord(record: RecordToCover): CallRecord[] {
  const meta = peekMeta(Buffer.from(record.value));
  if (!meta || meta.call_id === null) return [];
  const { topic, partition, offset } = record;
  return [{ topic, partition, offset, leaf: recordHash(record), tenant_id: meta.tenant_id, call_id: meta.call_id }];
}

/** Signs leaves as the projector does: those of an entry are covered by the next. */
class LeafSigner {
  private readonly requests = new Map<string, string | null>();
  private readonly parts = new CaseParts({ of: (record) => this.of(record) });
  private readonly newest = new Map<string, { offset: number; records: number; hash: string }>();
  readonly log: RecordToCover[] = [];
  isForged = false;

  constructor(
    private readonly random: Random,
    /** The entry whose leaves are forged. */
    private readonly at: number,
    private readonly lie: LeafLie | undefined,
  ) {}

  private of({ call_id }: CallRecord): CaseOfCall {
    const case_id = this.requests.get(call_id);
    if (case_id === undefined) return { kind: 'later' };
    return case_id === null ? { kind: 'none' } : { kind: 'case', case_id };
  }

  async cover(number: number, cut: number, covered: readonly RecordToCover[]): Promise<void> {
    for (const { value, headers } of covered) {
      if (headers.event_type !== 'tool_call_requested') continue;
      const at = codec.decode(Buffer.from(value));
      if (at.event_type === 'tool_call_requested') this.requests.set(at.event.meta.call_id as string, at.event.call.case_id);
    }
    const parts = await this.parts.cover(covered.flatMap(callRecord));
    const honest = parts.map(({ tenant_id, case_id, records }): NewCaseLeaf => {
      const before = this.newest.get(`${tenant_id} ${case_id}`);
      const from = before ? strictBase64(before.hash) : caseStart(nodeHashing, tenant_id, case_id);
      const hash = caseHash(
        nodeHashing,
        from,
        { entry: number, cut },
        records.map(({ leaf }) => leaf),
      ).toString('base64');
      const all = (before?.records ?? 0) + records.length;
      return { tenant_id, case_id, entry: number, cut, added: records.length, records: all, hash, previous: before?.offset ?? null };
    });
    const signed = this.lie && number === this.at ? this.lie(honest, this.random) : honest;
    this.isForged ||= JSON.stringify(signed) !== JSON.stringify(honest);
    for (const leaf of signed) this.append(leaf);
  }

  private append(leaf: NewCaseLeaf): void {
    const { tenant_id, ...fields } = leaf;
    const offset = this.log.length;
    const value = codec.encode('case_covered', { meta: firstMeta(tenant_id, 1), ...fields });
    this.log.push({
      topic: CASES_TOPIC,
      partition: 0,
      offset,
      timestamp_ms: offset,
      key: null,
      headers: { event_type: 'case_covered' },
      value,
    });
    this.newest.set(`${tenant_id} ${leaf.case_id}`, { offset, records: leaf.records, hash: leaf.hash });
  }
}

/** An honest log in entries, with the tree of cases; or one whose signer lies about the leaves of one entry. */
export async function caseLog(seed: number, lie?: LeafLie): Promise<{ claims: Claim[]; isForged: boolean }> {
  const random = new Random(seed);
  const all = records(random);
  const heads = new Map<string, { own: RecordToCover[]; size: number }>();
  for (const record of all) {
    const head = heads.get(nameOf(record)) ?? { own: [], size: 0 };
    head.own.push(record);
    heads.set(nameOf(record), head);
  }
  const count = random.between(6, 12);
  const signer = new LeafSigner(new Random(seed), random.between(1, count - 3), lie);
  const claims: Claim[] = [];
  let trees = new Map<string, readonly RecordToCover[]>();
  for (let number = 0; number < count + 2; number++) {
    const covered: RecordToCover[] = [];
    trees = new Map(trees);
    if (signer.log.length > 0) trees.set(CASES, [...signer.log]);
    for (const [name, head] of heads) {
      const size = number >= count - 1 ? head.own.length : Math.min(head.own.length, head.size + random.below(4));
      covered.push(...head.own.slice(head.size, size));
      head.size = size;
      if (size > 0) trees.set(name, head.own.slice(0, size));
    }
    const cut: Cut = { number: number + 1, state: 'closed' };
    claims.push({ time_ms: 1_790_000_000_000 + number * 1000, cut, trees });
    await signer.cover(number, cut.number, covered);
  }
  // Each lie shows at the latest when later leaves are due.
  const last = claims.at(-1) as Claim;
  claims.push({
    ...last,
    time_ms: last.time_ms + 3_600_000,
    cut: { number: claims.length + 1, state: 'closed' },
    trees: new Map(last.trees).set(CASES, [...signer.log]),
  });
  return { claims, isForged: signer.isForged };
}

const schemas = Object.fromEntries(eventSchemas.map(({ id, schema }) => [id, schema]));

/** The answers of `/v1/audit/leaves` to an auditor of a tenant. */
export function servedLeaves(claims: readonly Claim[], tenant_id: string) {
  const trees = (claims.at(-1) as Claim).trees;
  return async (topic: string, partition: number, first: number) => ({
    first,
    schemas,
    leaves: (trees.get(`${topic}/${partition}`) ?? []).slice(first, first + 7).map((record) => {
      const leaf = recordHash(record).toString('base64');
      const { timestamp_ms, key, headers } = record;
      const isOwn = peekMeta(Buffer.from(record.value))?.tenant_id === tenant_id;
      return isOwn
        ? { leaf, record: { timestamp_ms, key, headers: { ...headers }, value: Buffer.from(record.value).toString('base64') } }
        : { leaf };
    }),
  });
}
