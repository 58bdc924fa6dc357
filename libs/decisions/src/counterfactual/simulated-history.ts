import type { ToolCall } from '@countersign/contracts';
import { type ConfigurationState, catalogued, HOUR_MS } from '@countersign/domain';
import {
  agentHistory,
  type Counted,
  flaggedCalls,
  flaggedOfDay,
  flaggedScope,
  type HistoryScope,
  type HistoryUses,
  historyText,
  historyWindows,
  scopeHistory,
} from '@countersign/policy';
import type { Question } from '../question.js';
import type { TenantRulings } from '../tenant-rulings.js';
import { changesOf } from './change.js';
import { changedCounts } from './changed-counts.js';
import type { RecordedCall } from './recorded-calls.js';
import type { SimulatedWorld, UnknownBecause } from './simulated-world.js';
import { isAnswered, isSameStanding, RecordedStandings, type Standing, standingOf, windowCounts } from './standings.js';

type Reported = Partial<Record<HistoryScope, Counted | Record<string, Counted> | boolean | string | number>>;
type Known<T> = { value: T } | { unknown: UnknownBecause };

/** Two times within this tolerance count as the same time. */
const SAME_MS = 5;
/** A service waits at most this long for the history. */
const READ_MAX_MS = 1500;
/** Maximum of calls that are counted again. */
const COUNTED_MAX = 5000;
const WINDOW_HOURS = Math.max(...Object.values(historyWindows));

const unknown = (why: string, call_id: string | null = null): { unknown: UnknownBecause } => ({
  unknown: { what: 'ruling', why, call_id },
});

/**
 * The call history that rules use in a changed world. Recorded history is adjusted for affected calls, by their recorded and simulated
 * states. Unrecorded history is counted if all calls that it counts are known. Everything else is unknown.
 */
export class SimulatedHistory {
  private readonly recorded = new RecordedStandings();

  constructor(
    private readonly world: SimulatedWorld,
    private readonly rulings: TenantRulings,
  ) {}

  /** The history in its recorded form; undefined if no rule uses it. */
  historyFor({ call_id, revision, tenant_id, call, at_ms }: Question, config: ConfigurationState): Known<string | undefined> {
    const { records, changes, now_ms } = this.world;
    const ruling = records.get(call_id)?.rulings.get(revision);
    const then = ruling?.event.explanation?.history_json ?? undefined;
    if (changes.length === 0) return { value: then };
    const tool = catalogued(config, tenant_id, call.tool, call.version);
    const uses = tool && this.rulings.historyRequested(config, tenant_id, tool.contract);
    if (!uses) return { value: undefined };
    const isThen = ruling !== undefined && Math.abs(records.statedAt(ruling) - now_ms) <= SAME_MS;
    const hasOtherRules = changesOf(changes, 'policy').length > 0;
    if (isThen && then === undefined && !hasOtherRules) return { value: undefined };
    const base = isThen && then !== undefined ? (JSON.parse(then) as Reported) : {};
    const query = { call_id, call, hour: Math.floor(at_ms / HOUR_MS), uses, base, hasOtherRules };
    const until_ms = ruling ? records.statedAt(ruling) : now_ms;
    const moment = { from_ms: this.readFrom(call_id, revision, until_ms), until_ms };
    const reported: Reported = {};
    for (const scope of uses.scopes) {
      const found = this.scope(scope, { ...query, moment });
      if (found && 'unknown' in found) return found;
      if (found) reported[scope] = found.value;
    }
    return { value: historyText(reported) };
  }

  /** Lower bound of the time at which the history for a ruling was read. */
  private readFrom(call_id: string, revision: number, until_ms: number): number {
    const recorded = this.world.records.get(call_id);
    const before = recorded?.rulings.get(revision - 1);
    const requested_ms = before ? this.world.records.statedAt(before) : (recorded?.requested.timestamp_ms ?? until_ms);
    return Math.max(requested_ms, until_ms - READ_MAX_MS);
  }

  private scope(scope: HistoryScope, query: HistoryQuery): Known<Reported[HistoryScope]> | undefined {
    const { call, base } = query;
    if ((scope === 'case' && call.case_id === null) || (scope === 'run' && call.run_id === null)) return undefined;
    if (scope === 'first_use_of_tool') return this.firstUse(query);
    if (scope === 'circuit') return circuitOf(query);
    if (scope === 'flagged') return this.flagged(flaggedScope(call), query);
    const reported = base[scope] as Counted | undefined;
    return reported !== undefined && covers(scope, query) ? this.changed(scope, reported, query) : this.counted(scope, query);
  }

  /** The recorded history, adjusted for affected calls. */
  private changed(scope: CountedScope, reported: Counted, query: HistoryQuery): Known<Reported[HistoryScope]> {
    const rows = this.changedRows(scope, query);
    if ('unknown' in rows) return rows;
    const { less, more } = rows.value;
    const { uses } = query;
    const value = changedCounts(reported, reportOf(scope, uses, less), reportOf(scope, uses, more), uses);
    return value ? { value } : unknown('its rules saw less history than the record holds');
  }

  private flagged(scope: CountedScope, query: HistoryQuery): Known<number> {
    const recorded = query.base.flagged as number | undefined;
    const count = (rows: readonly Row[]): number => (scope === 'agent' ? flaggedOfDay(rows) : flaggedCalls(rows));
    if (recorded === undefined) {
      const rows = this.allRows(scope, query);
      return 'unknown' in rows ? rows : { value: count(rows.value) };
    }
    const rows = this.changedRows(scope, query);
    return 'unknown' in rows ? rows : { value: recorded + count(rows.value.more) - count(rows.value.less) };
  }

  /** What affected calls counted as in the recorded history, and what they count as now. */
  private changedRows(scope: CountedScope, query: HistoryQuery): Known<{ less: Row[]; more: Row[] }> {
    const { call_id, hour } = query;
    const awaited = this.awaited(scope, query);
    if (awaited) return awaited;
    const less: Row[] = [];
    const more: Row[] = [];
    for (const other of this.world.affected) {
      const record = other === call_id ? undefined : this.world.records.get(other);
      if (!record || !isIn(scope, record.requested.event.call, query.call)) continue;
      const before = this.before(record, query);
      if ('unknown' in before) return before;
      const { tool } = record.requested.event.call;
      const now = standingOf(this.world.calls.get(other));
      if (now && this.world.isUnknown(other)) return unknown('its rules count a call whose outcome is unknown', other);
      if (before.value) less.push(rowOf(tool, before.value, hour));
      if (now) more.push(rowOf(tool, now, hour));
    }
    return { value: { less, more } };
  }

  /** Unknown if the history may count a call whose cause has not ended here: it is unknown whether that call is requested. */
  private awaited(scope: CountedScope, { call, moment }: HistoryQuery): { unknown: UnknownBecause } | undefined {
    for (const calls of this.world.caused.values())
      for (const other of calls)
        if (isIn(scope, other.requested.event.call, call) && other.requested.timestamp_ms <= moment.until_ms)
          return unknown('its rules count a call that was requested because of a call that would have ended differently', other.call_id);
    return undefined;
  }

  /** The state of another call when the history was read; unknown if it changed at that time. */
  private before(record: RecordedCall, { moment }: Pick<HistoryQuery, 'moment'>): Known<Standing | undefined> {
    const [first, last] = [moment.from_ms, moment.until_ms].map((at_ms) => standingOf(this.recorded.at(record, at_ms)));
    if (isSameStanding(first, last)) return { value: first };
    return unknown('its rules count a call that changed at the moment of the decision', record.call_id);
  }

  /** Counts all calls, if all are known. */
  private counted(scope: CountedScope, query: HistoryQuery): Known<Reported[HistoryScope]> {
    const rows = this.allRows(scope, query);
    return 'unknown' in rows ? rows : { value: reportOf(scope, query.uses, rows.value) };
  }

  private allRows(scope: CountedScope, query: HistoryQuery): Known<Row[]> {
    const { whole, calls } = this.world.recording;
    const { call, call_id, hour } = query;
    const isWhole =
      scope === 'agent'
        ? whole.from_ms <= (hour - WINDOW_HOURS) * HOUR_MS && !whole.cut_agents.has(call.principal.id) && !whole.cut_agents.has('*')
        : scope === 'case'
          ? whole.cases.has(call.case_id as string)
          : whole.runs.has(call.run_id as string);
    const others = isWhole ? calls.sharing(scope, call) : [];
    if (!isWhole || others.length > COUNTED_MAX)
      return unknown(`its rules use the history of its ${scope}, and the records that were read do not hold all of it`);
    const awaited = this.awaited(scope, query);
    if (awaited) return awaited;
    const rows: Row[] = [];
    let doubtful: RecordedCall | undefined;
    for (const other of others) {
      const now = other.call_id === call_id ? undefined : standingOf(this.world.calls.get(other.call_id));
      if (now && this.world.isUnknown(other.call_id)) doubtful = doubtful ? earlier(doubtful, other) : other;
      else if (now) rows.push(rowOf(other.requested.event.call.tool, now, hour));
    }
    if (doubtful) return unknown('its rules count a call whose outcome is unknown', doubtful.call_id);
    return { value: rows };
  }

  /** True if no call of this agent to the tool was answered before. */
  private firstUse(query: HistoryQuery): Known<boolean> {
    const { call, call_id, base } = query;
    const others = this.world.records
      .sharing('agent', call)
      .filter((other) => other.call_id !== call_id && other.requested.event.call.tool === call.tool);
    const isKnown = (id: string): boolean => !this.world.isUnknown(id);
    if (others.some((one) => isKnown(one.call_id) && isAnswered(standingOf(this.world.calls.get(one.call_id))))) return { value: false };
    const open = others.find(({ call_id: id }) => this.world.isUnknown(id) && this.world.calls.get(id)?.requested);
    if (open) return unknown('its rules use whether its agent used the tool before, and the outcome of a call is unknown', open.call_id);
    const reported = base.first_use_of_tool as boolean | undefined;
    if (reported === true) return { value: true };
    const answeredBefore = others.find((one) => isAnswered(standingOf(this.recorded.at(one, query.moment.until_ms))));
    if (reported === false && !answeredBefore) return { value: false };
    return unknown('the records that were read do not show whether its agent used the tool before', answeredBefore?.call_id ?? null);
  }
}

/** Of two calls the one that was requested first: the cause that is named does not depend on the order in which partitions were read. */
const earlier = (a: RecordedCall, b: RecordedCall): RecordedCall => (b.requested.timestamp_ms < a.requested.timestamp_ms ? b : a);

/** As it was recorded: what other calls would have done to the circuit of the tool is not simulated. */
function circuitOf({ base }: HistoryQuery): Known<string> {
  const recorded = base.circuit as string | undefined;
  return recorded === undefined
    ? unknown('its rules use the circuit of its tool, and its state is not on the record')
    : { value: recorded };
}

interface HistoryQuery {
  call_id: string;
  call: ToolCall;
  hour: number;
  uses: HistoryUses;
  /** The recorded history at the same time. */
  base: Reported;
  hasOtherRules: boolean;
  /** When the recorded history was read. */
  moment: { from_ms: number; until_ms: number };
}

type CountedScope = 'case' | 'run' | 'agent';
type Row = { tool: string; status: string; calls: number; flags: string | null } & Record<string, string | number | null>;

const rowOf = (tool: string, standing: Standing, hour: number): Row => ({
  ...windowCounts(standing, hour),
  tool,
  status: standing.status,
  flags: standing.flags,
  calls: 1,
});

function reportOf(scope: CountedScope, uses: HistoryUses, rows: readonly Row[]): Counted | Record<string, Counted> {
  return scope === 'agent' ? agentHistory(uses, rows) : scopeHistory(uses, rows);
}

/** True if two calls belong to the same case, run or agent. */
function isIn(scope: CountedScope, other: ToolCall, call: ToolCall): boolean {
  if (scope === 'agent') return other.principal.id === call.principal.id;
  return scope === 'case' ? other.case_id === call.case_id : other.run_id === call.run_id;
}

/** True if the recorded history contains all requested tools. */
function covers(scope: CountedScope, { uses, base, hasOtherRules }: HistoryQuery): boolean {
  if (!hasOtherRules) return true;
  const reported = base[scope] as Counted | Record<string, Counted>;
  const parts = scope === 'agent' ? Object.values(reported as Record<string, Counted>) : [reported as Counted];
  return !uses.tools.has('*') && parts.every(({ tools }) => [...uses.tools].every((tool) => Object.hasOwn(tools, tool)));
}
