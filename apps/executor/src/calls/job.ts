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

/** What lets a call run: its ruling or its grant. */
export interface Authorised {
  /** Meta of the record that allows it. */
  meta: Meta;
  call: ToolCall;
  decision_id: string;
  revision: number;
  approval_id: string | null;
  /** What people approved; empty: no approval was needed. */
  given: readonly GivenPart[];
  /** Position in configuration-changed that its ruling saw; null: not known, as of a grant. */
  config_offset: number | null;
  joined_call_id: string | null;
  /** Deferring rules that it has waited for; absent: none. */
  waited?: readonly string[];
  /** The call history that its rules used; a later decision uses the same. */
  history_json?: string | undefined;
  execute_before_ms: number;
  lane: string;
  source: SourcePosition;
  traceparent: string | undefined;
  /** Of edited inputs: the key that they have by themselves, to be claimed together with the own one. */
  secondary_key: ClaimedKey | null;
}

/** Something of a run that may be aborted. */
export interface Abortable {
  abort(reason: 'timeout' | 'cancelled' | 'lease_lost' | 'closing'): void;
}

/** An earlier call that answers, and where its end stands; null: it is not in its row yet. */
export interface Answering {
  kind: 'answer' | 'verify';
  call_id: string;
  attempt: number;
  end_offset: number | null;
  /** The row of that call, as it was read. */
  row: Execution | undefined;
}

const NO_TOUCHES: readonly ResourceTouch[] = [];

/** One call on its way through this process. */
export class Job {
  private at: CallStage = 'new';
  attempt = 1;
  /** The epoch that claimed it. */
  epoch = 0;
  cancelled = false;
  resends = 0;
  /** What it was judged by last (`Judge.position`), and when; undefined: not yet. */
  judged_position: number | undefined;
  judged_at_ms = 0;
  /** Where its start says that it runs; null: in no process that could be named. Absent: in this one. */
  place?: ProcessIdentity | null;
  /** Until when it may begin elsewhere, by the clock of the machine. */
  begin_before_ms = 0;
  /** Pause before its last resend. */
  paused_ms = 0;
  /** Epoch ms at which the time of its tool is over, all attempts together; 0: it has not run. */
  until_ms = 0;
  reconciles = 0;
  /** It was taken over: the process that fired it is known to be dead. */
  owner_dead = false;
  /** Meta of its newest tool_call_started: the cause of its end. */
  started_meta: Meta | undefined;
  started_at_ms = 0;
  fired_at_ms = 0;
  /** Epoch ms at which it is sent again or reconciled. */
  retry_at_ms = 0;
  /** Monotonic ms at which the stage is looked at again (timeout, resend, reconcile); Infinity: never. */
  due_ms = Number.POSITIVE_INFINITY;
  /** Holds a slot of its tenant. */
  slot = false;
  /** It has a row although it is read-only (a long read). */
  has_row = false;
  /** Its claim won: the row of its key and attempt is its own. */
  claimed = false;
  /** The epoch of a claim that was sent and got no answer. */
  unanswered_epoch: number | null = null;
  /** Records of this call that came again and are acknowledged with it. */
  sources: SourcePosition[] | undefined;
  handle: Abortable | undefined;
  aborted: 'timeout' | 'cancelled' | undefined;
  /** Monotonic ms. */
  running_since_ms = 0;
  /** The next revision of the same call: its ruling came before this one's end was written. */
  next: Job | undefined;
  /** Other calls of the same key that get its answer. */
  joiners: Job[] | undefined;
  /** The call whose answer it gets. */
  leader_call_id = '';
  /** How it ends; undefined: not known yet. */
  verdict: Verdict | undefined;
  /** Its end on its way to the log. */
  ending: Ending | undefined;
  /** An earlier call that answers it, whose outcome is still to be read. */
  answering: Answering | undefined;
  /** Its hop in the trace, where traces are recorded. */
  span: CallSpan | undefined;
  /** Where it is within that hop. */
  part_span: CallSpan | undefined;
  /** The span of its last attempt. */
  answered_traceparent: string | undefined;
  /** Why it will not fire: it leaves a tombstone, then this is its end. */
  refusal: RefusedBecause | undefined;
  /** Where its result is kept for equal calls; undefined: it is not. */
  memo_key: string | undefined;
  /** What its run may authenticate with, where its tool needs any. */
  credentials: ResolvedCredentials | undefined;
  /** What stands between it and its tool. */
  mapping: CallMapping | undefined;
  /** Of a sealed call: what can be read, or that nothing can. */
  opened: OpenedCall | 'erased' | undefined;
  /** Its inputs, parsed once. */
  inputs: unknown;
  /** The second key, once it is claimed. */
  secondary_key: ClaimedKey | null = null;
  /** Another call has the second key: the effect of the edited inputs is not this call's to cause. */
  second_key_taken = false;
  /** What its effect touches; empty: its tool names nothing. */
  touches: readonly ResourceTouch[] = NO_TOUCHES;
  /** Its tool's: others on its resources wait for so long where its outcome is unknown. */
  settle_ms = 0;
  /** What its claim got; null: it has none yet, or touches nothing. */
  resources: ClaimedResources | null = null;
  /** Something acted on a name above its resources, or may have: its end is written there too. */
  acted_above = true;
  /** Its last claim met another effect on a resource of its own. */
  resource_busy = false;
  busy_pause_ms = 0;
  /** It ran although the outcome of an earlier effect on its resources was not known. */
  resource_in_doubt = false;
  /** The attempt before its own does not answer, whatever its resources say: its window is over, or its tool does not see its effect. */
  window_over = false;
  /** Times its claim lost to a row that was not there any more. */
  claims = 0;

  /** The effect that it undoes, once it was looked up. */
  undone: UndoneEffect | undefined;

  constructor(
    readonly authorised: Authorised,
    readonly write: boolean,
  ) {}

  /** Where it is on its way. */
  get stage(): CallStage {
    return this.at;
  }
  /** For the pipeline alone: the next stage by the table. */
  enter(stage: CallStage): void {
    this.at = stage;
  }
  get call(): ToolCall {
    return this.authorised.call;
  }
  /** What it is judged by: the call as it can be read. */
  get readable(): Authorised {
    const { opened, authorised } = this;
    return opened === undefined || opened === 'erased' ? authorised : { ...authorised, call: opened.call };
  }
  get inputs_json(): string {
    return this.readable.call.inputs_json;
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
