import type { AnyEvent, Meta } from '@countersign/contracts';
import {
  type CallState,
  evolve,
  evolveRulings,
  initialRulings,
  type PlacedEvent,
  type RulingDraft,
  type RulingState,
  stampedMeta,
  statusOf,
} from '@countersign/domain';
import type { ReadEvent } from '../read-event.js';
import type { CallCounters } from './call-counters.js';
import type { Change } from './change.js';
import { ConfigurationHistory } from './configuration-history.js';
import type { InputEvent, RecordedCall, RecordedCalls, RunEvent } from './recorded-calls.js';
import { SimulatedKeys } from './simulated-keys.js';
import { SimulatedLimits } from './simulated-limits.js';
import { Timeline } from './timeline.js';

/** The scopes of which a recording contains all calls, so that their counts can be computed again. */
export interface Whole {
  cases: ReadonlySet<string>;
  runs: ReadonlySet<string>;
  /** All calls of the tenant requested since this time, epoch ms, are included; infinity: no time is complete. */
  from_ms: number;
  /** Agents with calls requested before that time; `*`: possibly any agent. */
  cut_agents: ReadonlySet<string>;
}

export const nothingWhole: Whole = { cases: new Set(), runs: new Set(), from_ms: Number.POSITIVE_INFINITY, cut_agents: new Set() };

/** The recording of a world; everything is from the log. */
export interface Recording {
  tenant_id: string;
  /** The records of calls. */
  calls: RecordedCalls;
  /** configuration-changed and tool-registered, each in offset order. */
  configuration: readonly ReadEvent[];
  /** trust-view, in offset order. */
  trust: readonly ReadEvent[];
  /** The selected calls, and those that they name, repeat or share a run with. Other calls are here only because they share limits. */
  own: ReadonlySet<string>;
  /** Calls that keep their recorded course whatever is changed; only their keys and reservations matter. */
  as_recorded: ReadonlySet<string>;
  /** Calls whose inputs are erased: they keep their recorded outcome and are unknown. */
  erased: ReadonlySet<string>;
  /** Request time of the first call, epoch ms. */
  from_ms: number;
  /** End of the recording, epoch ms. Nothing happens later in any world. */
  until_ms: number;
  whole: Whole;
  /** How long an allowed or granted call may be started, if the records do not show it. */
  allow_for_ms: number;
  grant_for_ms: number;
}

/** Why the ruling or the result of a call is unknown. */
export interface UnknownBecause {
  what: 'ruling' | 'result';
  why: string;
  /** The other call that it depends on, if any. */
  call_id: string | null;
}

/** The source of a result. */
export interface ResultSource {
  kind: 'recorded' | 'recorded_at_another_time' | 'replaced' | 'identical_call';
  call_id: string;
}

export type Item =
  | { kind: 'request'; call: RecordedCall; shift_ms: number }
  | { kind: 'input'; event: InputEvent }
  | { kind: 'run'; event: RunEvent; shift_ms: number }
  | { kind: 'recorded'; event: ReadEvent }
  | { kind: 'start'; call_id: string; revision: number }
  | { kind: 'expire' | 'forget'; approval_id: string }
  | { kind: 'wake'; call_id: string }
  | { kind: 'configured' };

/** Ends of an approval within this tolerance count as the same time. */
const SAME_TIME_MS = 1000;

/** The state of a world that is decided again. */
export class SimulatedWorld {
  now_ms = 0;
  readonly timeline = new Timeline<Item>();
  readonly rulings: RulingState = initialRulings();
  readonly calls = new Map<string, CallState>();
  readonly history: ConfigurationHistory;
  readonly limits: SimulatedLimits;
  readonly keys = new SimulatedKeys();
  /** Calls whose course differs from the record. */
  readonly affected = new Set<string>();
  readonly unknown = new Map<string, UnknownBecause[]>();
  readonly sources = new Map<string, ResultSource>();
  /** Ended call → calls that were requested because of it, until it ends here. */
  readonly caused = new Map<string, RecordedCall[]>();
  /** Start times of calls that may have no recorded start. */
  readonly started = new Map<string, number>();
  private offset = 0;
  private hlc = 0;

  constructor(
    readonly recording: Recording,
    readonly changes: readonly Change[],
    counters?: CallCounters,
  ) {
    this.limits = new SimulatedLimits(counters);
    this.history = new ConfigurationHistory(recording.configuration, recording.tenant_id, changes);
  }

  get records(): RecordedCalls {
    return this.recording.calls;
  }

  /** Stamps and folds drafts of policy at a time. @returns the events. */
  say(drafts: readonly RulingDraft[]): AnyEvent[] {
    return drafts.map((draft) => {
      const event_id = `simulated-${this.offset}`;
      const meta = stampedMeta(draft, { event_id, now_ms: this.now_ms, after_hlc: this.hlc });
      this.hlc = meta.hlc;
      const published = { event_type: draft.event_type, event: { meta, ...draft.body } } as AnyEvent;
      this.fold(published, draft.traceparent);
      return published;
    });
  }

  /** Folds an event into the state of policy and into its call. */
  fold(published: AnyEvent, traceparent?: string): void {
    evolveRulings(this.rulings, published, traceparent);
    this.foldCall(published);
  }

  foldCall(published: AnyEvent): void {
    const { meta } = published.event as { meta: Meta };
    if (meta.call_id === null) return;
    const place = { topic: 'simulated', partition: 0, offset: this.offset++, timestamp_ms: this.now_ms };
    this.calls.set(meta.call_id, evolve(this.calls.get(meta.call_id), { ...published, ...place } as PlacedEvent));
  }

  /** Status of a call in this world; undefined if it was never requested. */
  status(call_id: string): string | undefined {
    const state = this.calls.get(call_id);
    return state && statusOf(state);
  }

  isUnknown(call_id: string): boolean {
    return this.unknown.has(call_id);
  }

  /** True if the course of the call differs from the record so far, or the changes give it another result or leave it out. */
  isChanged(call_id: string): boolean {
    return this.affected.has(call_id) || this.changes.some((change) => 'call_id' in change && change.call_id === call_id);
  }

  /** Handles the end of an approval: the call is affected if the record has another end, or another time. */
  noteApprovalEnd(call_id: string): void {
    const now = this.calls.get(call_id)?.approval_end;
    const then = this.records.get(call_id)?.state.approval_end;
    if (!now) return;
    const isLater = now.kind !== 'expired' && then != null && Math.abs(now.at_ms - then.at_ms) > SAME_TIME_MS;
    if (now.kind !== then?.kind || isLater) this.affected.add(call_id);
  }

  cannotKnow(call_id: string, because: UnknownBecause): void {
    const known = this.unknown.get(call_id) ?? [];
    if (!known.some(({ what, why }) => what === because.what && why === because.why)) this.unknown.set(call_id, [...known, because]);
    this.affected.add(call_id);
  }
}
