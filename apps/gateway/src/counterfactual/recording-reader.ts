import { callTopics, laneTopic, parseCallId } from '@countersign/contracts';
import { ObservedTerms, type ReadEvent, RecordedCalls, type Recording } from '@countersign/decisions';
import { type ConfigurationState, emptyLedger, judgeChange, limitVersions, unpackCall } from '@countersign/domain';
import { BatchDecoder, type EventLog, type LogRecord } from '@countersign/event-log';
import { type AppDeps, CONFIGURATION_TOPIC } from '@countersign/process';
import { type CallRow, listCalls, readCall } from '@countersign/store';
import { LATE_MS, SKEW_MS } from '../audit/records-of-calls.js';
import { Gently } from './gently.js';

/** Decoding a record takes about 10 µs. */
const AT_ONCE = 200;
const RECORDS_MAX = 400_000;
/** Bytes of the retained records on the log; in memory they take several times as much. */
const BYTES_MAX = 200_000_000;
/** Maximum of additional calls of one run or case. */
const OF_A_RUN_MAX = 500;
/** Maximum of cases of a page whose calls are all read. */
const CASES_MAX = 100;
const OTHERS_MAX = 10_000;
/** The policy service's defaults, for a record without a grant or a ruling. */
const USUAL = { allow_for_ms: 15 * 60_000, grant_for_ms: 3_600_000 };
/** The configuration of the installation, which the decisions of all tenants read. Nothing of another tenant is kept: bundles are exported. */
const SHARED: ReadonlySet<string> = new Set(['tool_registered', 'adapter_pin_set']);

/** True for a setting of the installation; a tool that one tenant registered belongs to that tenant. */
const isShared = (event: ReadEvent): boolean =>
  SHARED.has(event.event_type) && !(event.event_type === 'tool_registered' && typeof event.event.only_tenant === 'string');

/** What to read. */
export interface Wanted {
  tenant_id: string;
  lane: string;
  /** The selected calls. */
  rows: readonly CallRow[];
  /** Latest time of something changed, epoch ms. */
  until_ms: number;
  /** Window of counters across cases; undefined if there are none. */
  shared_window_ms: number | undefined;
  /** Cases whose calls are all in `rows`. */
  whole_cases?: readonly string[];
  /** True if changed rules read history that was not recorded: then all calls of the cases are read. */
  counts_cases?: boolean;
}

/** Further calls to read, and the runs and cases whose calls are then all read. */
interface OtherCalls {
  found: CallRow[];
  runs: ReadonlySet<string>;
  cases: ReadonlySet<string>;
}

type Parts = Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'store' | 'clock' | 'personal'>;

/** Reads the records that a case depends on: its own calls, calls that they join or depend on, and calls that share its limits. */
export class RecordingReader {
  private readonly decoder: BatchDecoder;

  constructor(private readonly parts: Parts) {
    this.decoder = new BatchDecoder(parts.codec, parts.schemas);
  }

  private get log(): EventLog {
    return this.parts.log;
  }

  /** Undefined if the query is too large. */
  async read(wanted: Wanted): Promise<Recording | undefined> {
    const gently = new Gently(() => this.parts.clock.monotonic_ms());
    const { tenant_id, rows, shared_window_ms } = wanted;
    const about = new Set(rows.map(({ call_id }) => call_id));
    const first_ms = Math.min(...rows.map(({ requested_at_ms }) => requested_at_ms));
    const { found: others, runs, cases } = await this.others(wanted, about, gently);
    const calls = new RecordedCalls();
    const terms = new ObservedTerms();
    const erased = new Set<string>();
    const ids = new Set([...about, ...others.map(({ call_id }) => call_id)]);
    const from_ms = Math.min(first_ms - Math.min(shared_window_ms ?? 0, first_ms), ...others.map((row) => row.requested_at_ms)) - SKEW_MS;
    const isWanted = (event: ReadEvent): boolean =>
      event.event.meta.tenant_id === tenant_id && (shared_window_ms !== undefined || ids.has(event.event.meta.call_id ?? ''));
    let [left, left_bytes] = [RECORDS_MAX, BYTES_MAX];
    let last_ms = wanted.until_ms;
    for (const [topic, partition] of this.places(wanted.lane, shared_window_ms === undefined ? ids : undefined)) {
      for await (const { event, bytes } of this.stretch(topic, partition, from_ms, wanted.until_ms + LATE_MS)) {
        if (left-- <= 0 || left_bytes < 0) return undefined;
        if (isWanted(event)) {
          left_bytes -= bytes;
          const opened = await this.opened(event);
          if (!opened) erased.add(event.event.meta.call_id as string);
          calls.add(opened ?? event);
          last_ms = Math.max(last_ms, event.timestamp_ms);
          terms.note(event);
        }
        await gently.pause();
      }
    }
    const as_recorded = new Set<string>();
    const cut_agents = new Set<string>();
    for (const call_id of calls.ids()) {
      const requested_ms = calls.get(call_id)?.requested.timestamp_ms;
      if (requested_ms === undefined) cut_agents.add(calls.agentOf(call_id) ?? '*');
      if (requested_ms !== undefined && requested_ms < first_ms - SAME_TIME_MS && !about.has(call_id)) as_recorded.add(call_id);
      await gently.pause();
    }
    const configuration = await this.settings(['tool-registered', 'configuration-changed'], tenant_id, gently);
    const trust = await this.settings(['trust-view'], tenant_id, gently);
    return {
      tenant_id,
      calls,
      own: ids,
      configuration,
      trust,
      as_recorded,
      erased,
      whole: { cases, runs, from_ms: shared_window_ms === undefined ? Number.POSITIVE_INFINITY : from_ms, cut_agents },
      from_ms: first_ms - SKEW_MS,
      until_ms: last_ms,
      ...terms.or(USUAL),
    };
  }

  /** Calls that these join, repeat or depend on, and their undos; calls of the same runs; and of the same cases if cases are counted. */
  private async others(wanted: Wanted, about: ReadonlySet<string>, gently: Gently): Promise<OtherCalls> {
    const { tenant_id, rows, whole_cases = [], counts_cases = false } = wanted;
    const named = new Set<string>();
    const [runs, cases] = [new Set<string>(), new Set<string>()];
    for (const { state } of rows) {
      const { call, ruling, end, compensation } = unpackCall(state);
      for (const id of [...(call?.context.depends_on ?? []), ruling?.joined_call_id, end?.original_call_id, compensation?.call_id])
        if (id && !about.has(id)) named.add(id);
      if (call?.run_id) runs.add(call.run_id);
      if (call?.case_id && counts_cases && !whole_cases.includes(call.case_id)) cases.add(call.case_id);
      await gently.pause();
    }
    const found: CallRow[] = [];
    for (const call_id of named) {
      const row = parseCallId(call_id) ? await readCall(this.parts.store, tenant_id, call_id) : undefined;
      if (row) found.push(row);
    }
    const whole = { runs: new Set<string>(), cases: new Set(whole_cases) };
    for (const run_id of runs) if (await this.all({ tenant_id, run_id }, about, found)) whole.runs.add(run_id);
    for (const case_id of [...cases].slice(0, CASES_MAX))
      if (found.length < OTHERS_MAX && (await this.all({ tenant_id, case_id }, about, found))) whole.cases.add(case_id);
    return { found, ...whole };
  }

  /** Adds the calls of a run or a case. @returns whether these are all. */
  private async all(
    of: { tenant_id: string; run_id: string } | { tenant_id: string; case_id: string },
    about: ReadonlySet<string>,
    found: CallRow[],
  ) {
    const { items, next_cursor } = await listCalls(this.parts.store, { ...of, limit: OF_A_RUN_MAX });
    found.push(...items.filter(({ call_id }) => !about.has(call_id)));
    return next_cursor === null;
  }

  private *places(lane: string, ids: ReadonlySet<string> | undefined): Generator<[topic: string, partition: number]> {
    const partitions = ids && new Set([...ids].map((id) => parseCallId(id)?.partition ?? 0));
    for (const name of callTopics) {
      const topic = laneTopic(name, lane);
      for (let partition = 0; partition < this.log.partitions(topic); partition++)
        if (!partitions || partitions.has(partition)) yield [topic, partition];
    }
  }

  /** Each record with its size on the log: the mean of its batch. */
  private async *stretch(
    topic: string,
    partition: number,
    from_ms: number,
    until_ms: number,
  ): AsyncGenerator<{ event: ReadEvent; bytes: number }> {
    for (let offset = await this.log.since(topic, partition, from_ms); ; ) {
      const records = await this.log.read(topic, partition, offset, AT_ONCE);
      const last = records.at(-1);
      if (!last) return;
      const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0) / records.length;
      for (const event of (await this.decoded(records)) as ReadEvent[]) yield { event, bytes };
      if (last.timestamp_ms > until_ms) return;
      offset = last.offset + 1;
    }
  }

  /**
   * The configuration changes that took effect, without their base versions: the recording lacks many of the versions they name, so a fold
   * of it could not check them.
   */
  private async settings(topics: readonly string[], tenant_id: string, gently: Gently): Promise<ReadEvent[]> {
    const kept: ReadEvent[] = [];
    const ledger = emptyLedger();
    for (const topic of topics)
      for await (const { event } of this.stretch(topic, 0, 0, Number.POSITIVE_INFINITY)) {
        await gently.pause();
        if (topic === CONFIGURATION_TOPIC && judgeChange(ledger, event) !== 'applied') continue;
        if (event.event.meta.tenant_id === tenant_id || isShared(event)) kept.push(withoutBase(event));
      }
    return kept;
  }

  /** Decrypts a request as its approvers see it; undefined if a key was destroyed. */
  private async opened(event: ReadEvent): Promise<ReadEvent | undefined> {
    if (event.event_type !== 'tool_call_requested' || event.event.call.sealed === null) return event;
    const opened = await this.parts.personal?.open(event.event.meta.tenant_id, event.event.call, []);
    return opened && { ...event, event: { ...event.event, call: opened.call } };
  }

  private async decoded(records: readonly LogRecord[]) {
    return (await this.decoder.decode(records)).events;
  }
}

/** Maximum clock difference between gateway and log. */
const SAME_TIME_MS = 1000;

/** How far back counters across cases reach; undefined if there are none. Counters without a window never expire. */
export function sharedWindow(state: ConfigurationState, tenant_id: string, more: readonly { scope: string; window_ms: number | null }[]) {
  const ids = state.by_tenant.get(tenant_id)?.limits?.versions.keys() ?? [];
  const all = [...[...ids].flatMap((limit_id) => limitVersions(state, tenant_id, limit_id)), ...more];
  const shared = all.filter(({ scope }) => scope !== 'case');
  if (shared.length === 0) return undefined;
  return Math.max(...shared.map(({ window_ms }) => window_ms ?? Number.MAX_SAFE_INTEGER));
}

function withoutBase(at: ReadEvent): ReadEvent {
  if (!('based_on' in at.event)) return at;
  const { based_on: _base, ...event } = at.event;
  return { ...at, event } as ReadEvent;
}
