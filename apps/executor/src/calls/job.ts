import type { ClaimedKey, ClaimedResources, Meta, SourcePosition, ToolCall } from '@countersign/contracts';
import type { CallStage, Execution, GivenPart } from '@countersign/domain';
import type { CallSpan, OpenedCall } from '@countersign/process';
import type { ProcessIdentity } from '@countersign/runtimes';
import type { ResourceTouch } from '@countersign/store';
import type { CallMapping } from './call-mapping.js';
import type { Ending } from './ending.js';
import type { ResolvedCredentials } from './resolved-credentials.js';
import type { UndoneEffect } from './undone-effect.js';
import type { RefusedBecause, Verdict } from './verdict.js';

export type { Issue } from './verdict.js';

/** The authorization of a call: its decision or its grant. */
export interface Authorised {
  /** Meta of the authorizing record. */
  meta: Meta;
  /** Hash of the leaf of that record. */
  leaf_hash?: string | undefined;
  call: ToolCall;
  decision_id: string;
  revision: number;
  approval_id: string | null;
  /** The approved parts; empty if no approval was needed. */
  given: readonly GivenPart[];
  /** The configuration offset of its decision; null if unknown, as for a grant. */
  config_offset: number | null;
  joined_call_id: string | null;
  /** Deferring rules whose wait is over; absent: none. */
  waited?: readonly string[];
  /** The call history that its rules used; a later decision uses the same. */
  history_json?: string | undefined;
  execute_before_ms: number;
  lane: string;
  source: SourcePosition;
  traceparent: string | undefined;
  /** For edited inputs: their own key, which is claimed together with the key of the call. */
  secondary_key: ClaimedKey | null;
}

/** A part of a run that can be aborted. */
export interface Abortable {
  abort(reason: 'timeout' | 'cancelled' | 'lease_lost' | 'closing'): void;
}

/** An earlier call that answers, and the offset of its end; null: its row does not have it yet. */
export interface Answering {
  kind: 'answer' | 'verify';
  call_id: string;
  attempt: number;
  end_offset: number | null;
  /** The row of that call, as it was read. */
  row: Execution | undefined;
}

const NO_TOUCHES: readonly ResourceTouch[] = [];

/** One call in this process. */
export class Job {
  private at: CallStage = 'new';
  attempt = 1;
  /** The epoch that claimed it. */
  epoch = 0;
  cancelled = false;
  resends = 0;
  /** An attempt that was sent has no answer: it may have had the effect. */
  maybe_happened = false;
  /** Configuration position of its last check (`Judge.position`), and its time; undefined: not checked yet. */
  judged_position: number | undefined;
  judged_at_ms = 0;
  /** The process that runs it, from its start record; null if the record names none. Absent: this process. */
  place?: ProcessIdentity | null;
  /** Until when another process may begin it, by the clock of the machine. */
  begin_before_ms = 0;
  /** Pause before its last resend. */
  paused_ms = 0;
  /** Epoch ms of the tool's timeout over all attempts; 0: it has not run. */
  until_ms = 0;
  reconciles = 0;
  /** True if it was taken over: the process that fired it is known to be dead. */
  owner_dead = false;
  /** Meta of its newest tool_call_started: the cause of its end. */
  started_meta: Meta | undefined;
  /** Hash of the leaf of that record; undefined until it is on the log. */
  started_hash: string | undefined;
  started_at_ms = 0;
  fired_at_ms = 0;
  /** Epoch ms at which it is sent again or reconciled. */
  retry_at_ms = 0;
  /** Monotonic ms of the next check of its stage (timeout, resend, reconcile); Infinity: never. */
  due_ms = Number.POSITIVE_INFINITY;
  /** True while it holds a slot of its tenant. */
  slot = false;
  /** True if it has a row although it is read-only (a long read). */
  has_row = false;
  /** True if its claim won: it owns the row of its key and attempt. */
  claimed = false;
  /** The epoch of a claim that was sent and got no response. */
  unanswered_epoch: number | null = null;
  /** Repeated records of this call, which are acknowledged with it. */
  sources: SourcePosition[] | undefined;
  handle: Abortable | undefined;
  aborted: 'timeout' | 'cancelled' | undefined;
  /** Monotonic ms. */
  running_since_ms = 0;
  /** The next revision of the same call, if its decision arrived before the end of this one was written. */
  next: Job | undefined;
  /** Other calls of the same key that get its answer. */
  joiners: Job[] | undefined;
  /** The call whose answer it gets. */
  leader_call_id = '';
  /** How it ends; undefined: not known yet. */
  verdict: Verdict | undefined;
  /** Its end, while it is being appended. */
  ending: Ending | undefined;
  /** An earlier call that answers it, whose outcome must still be read. */
  answering: Answering | undefined;
  /** Its span in the trace, if traces are recorded. */
  span: CallSpan | undefined;
  /** The current child span. */
  part_span: CallSpan | undefined;
  /** The span of its last attempt. */
  answered_traceparent: string | undefined;
  /** Why it will not run: it writes a tombstone, and then ends with this. */
  refusal: RefusedBecause | undefined;
  /** Cache key of its result for equal calls; undefined: not cached. */
  memo_key: string | undefined;
  /** The credentials of its run, if its tool needs any. */
  credentials: ResolvedCredentials | undefined;
  /** The mapping between the call and its tool. */
  mapping: CallMapping | undefined;
  /** For an encrypted call: its decrypted data, or that it is erased. */
  opened: OpenedCall | 'erased' | undefined;
  /** Its inputs, parsed once. */
  inputs: unknown;
  /** The second key, once claimed. */
  secondary_key: ClaimedKey | null = null;
  /** True if another call holds the second key: this call must not cause the effect of the edited inputs. */
  second_key_taken = false;
  /** The resources that its effect touches; empty if its tool names none. */
  touches: readonly ResourceTouch[] = NO_TOUCHES;
  /** How long other calls on its resources wait while its outcome is unknown, from its tool's contract. */
  settle_ms = 0;
  /** The resources that its claim got; null: no claim yet, or no resources. */
  resources: ClaimedResources | null = null;
  /** True if something acted, or may have acted, on a parent of its resources: its end is then written there too. */
  acted_above = true;
  /** True if its last claim met another effect on one of its resources. */
  resource_busy = false;
  busy_pause_ms = 0;
  /** True if it ran while the outcome of an earlier effect on its resources was unknown. */
  resource_in_doubt = false;
  /** True if the previous attempt cannot answer, whatever its resources show: its window is over, or its tool does not see its effect. */
  window_over = false;
  /** Number of claims that it lost to a row that no longer existed. */
  claims = 0;

  /** The effect that it undoes, once looked up. */
  undone: UndoneEffect | undefined;

  constructor(
    readonly authorised: Authorised,
    readonly write: boolean,
  ) {}

  /** Its current stage. */
  get stage(): CallStage {
    return this.at;
  }
  /** Only for the pipeline: sets the next stage from the table. */
  enter(stage: CallStage): void {
    this.at = stage;
  }
  get call(): ToolCall {
    return this.authorised.call;
  }
  /** The readable form of the call, for decisions. */
  get readable(): Authorised {
    const { opened, authorised } = this;
    return opened === undefined || opened === 'erased' ? authorised : { ...authorised, call: opened.call };
  }
  get inputs_json(): string {
    return this.readable.call.inputs_json;
  }
  /** Meta of the record that its end follows from. */
  get cause_of_end(): Meta {
    return this.started_meta ?? this.authorised.meta;
  }
  /** Hash of the leaf of that record. */
  get cause_hash(): string | undefined {
    return this.started_meta ? this.started_hash : this.authorised.leaf_hash;
  }
  get call_id(): string {
    return this.authorised.meta.call_id as string;
  }
  get tenant_id(): string {
    return this.authorised.meta.tenant_id;
  }
  get key(): string {
    return this.authorised.call.idempotency_key;
  }
  get partition(): number {
    return this.authorised.meta.partition;
  }
  get lane(): string {
    return this.authorised.lane;
  }
}
