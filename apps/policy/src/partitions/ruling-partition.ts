import {
  type AnyEvent,
  crashPoint,
  type EventCodec,
  laneTopic,
  type Meta,
  noRecord,
  type SourcePosition,
  type ToolCall,
  uuidv7,
} from '@countersign/contracts';
import {
  type DueDeferral,
  decideAgain,
  decideRecord,
  editsOf,
  giveBackUnused,
  holdersOf,
  type Judged,
  keepTaken,
  questionAgain,
  questionOf,
  refusePoison,
  refuseUnreadable,
  revisionOf,
  type ToRule,
  type UnreadableRequest,
  wantsRuling,
} from '@countersign/decisions';
import {
  dropApproval,
  endOfTime,
  evolveRulings,
  expiresAt,
  fallsDue,
  grantTo,
  holderOf,
  openParts,
  type RulingDraft,
  type RulingState,
  remind,
  stampedMeta,
  withdrawWaiting,
} from '@countersign/domain';
import type { EventBatch, EventLog, OwnedPartition, Recorded, TopicOffset } from '@countersign/event-log';
import type { DecisionService } from '../rulings/decision-service.js';
import type { AnsweredOffsets } from './answered-offsets.js';
import type { PartitionServices } from './partition-services.js';
import { type Outgoing, PartitionWriter } from './partition-writer.js';
import type { ReadCause, RulingHashes } from './ruling-hashes.js';
import { RulingRecords } from './ruling-records.js';
import { isWatched } from './watched.js';

/** The position of an opened partition, restored from its own output (see output-replay.ts). */
export interface PartitionStart {
  lane: string;
  partition: number;
  state: RulingState;
  /** Highest hlc that it has written. */
  hlc: number;
  /** Input topic → offset below which everything is decided. */
  inputs: Map<string, number>;
  /** Input topic → offsets that already have an answer. */
  answered: ReadonlyMap<string, AnsweredOffsets>;
  /** Output topic → offset after the last record that is known to be on the log. */
  outputs: Map<string, number>;
  /** Leaf hashes of its rulings whose calls wait. */
  hashes: RulingHashes;
}

const DRAIN_MS = 5000;

/**
 * The policy of one partition of one lane: decides its records in order, tracks calls in flight and writes decisions. Its state changes
 * only through the events that it writes and through ends of calls, each in one synchronous step, and the hlc of its output ascends: so
 * its output, merged by hlc, folds to the same state.
 */
export class RulingPartition implements OwnedPartition {
  readonly writer: PartitionWriter;
  private readonly records: RulingRecords;
  /** Records handled since it was opened. */
  handled = 0;

  constructor(
    readonly start: PartitionStart,
    private readonly decisions: DecisionService,
    private readonly services: PartitionServices,
    io: { log: EventLog; codec: EventCodec },
  ) {
    this.records = new RulingRecords(io.codec, start.lane, start.partition);
    const { writing, logger } = services;
    this.writer = new PartitionWriter(
      io.log,
      { ...writing, logger, restamp: (outgoing) => this.records.restamped(outgoing, ++this.start.hlc) },
      start.outputs,
      start.hashes,
    );
    for (const approval of start.state.approvals.values()) this.watch(approval.approval_id);
  }

  get lane(): string {
    return this.start.lane;
  }
  get number(): number {
    return this.start.partition;
  }
  resumeFrom(): TopicOffset[] {
    return [...this.start.inputs].map(([topic, offset]) => ({ topic, partition: this.number, offset }));
  }

  /** Writes pending decisions for a limited time; the next owner decides what does not reach the log. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.writer.stop(), DRAIN_MS);
    await this.writer.drained();
    clearTimeout(timer);
    this.writer.stop();
    this.decisions.limits.close(this.state.limits);
  }

  get state(): RulingState {
    return this.start.state;
  }
  get hlc(): number {
    return this.start.hlc;
  }

  /** Grants calls that joined a granted request but whose own grant was lost in a crash: grants and decisions are on different topics. */
  completeGrants(): void {
    const topic = laneTopic('policy-decided', this.start.lane);
    for (const approval of [...this.state.approvals.values()]) {
      if (approval.status !== 'granted' || openParts(approval).length > 0) continue;
      const without = approval.members.filter((member) => !this.state.allowed.has(member.meta.call_id as string));
      const by = { cause: holderOf(approval).meta, source: noRecord(topic), execute_before_ms: approval.execute_before_ms };
      this.write(() => grantTo(approval, without, approval.votes, by));
    }
  }

  /** Decides new records of the batch. Rejects at the first record that cannot be decided; those before it are done. */
  async handle(batch: EventBatch): Promise<void> {
    const last = batch.events.at(-1);
    if (last && last.offset + 1 >= batch.head) this.services.clock.observe(last.timestamp_ms);
    await this.writer.waitForCapacity();
    const fresh = batch.events.filter((event) => this.isNew(event));
    const toRule = fresh.filter(wantsRuling);
    if (toRule.length > 0) crashPoint('policy.before_ruling');
    const answers = toRule.length > 0 ? await this.judge(toRule) : undefined;
    // A voter that was revoked before the vote was written does not count, even if this process read the vote first.
    if (fresh.some(({ event_type }) => event_type === 'approval_voted')) await this.decisions.catchUp();
    const edits = batch.topic === 'approval-voted' ? await this.judgeEdits(fresh) : undefined;
    const now_ms = this.services.clock.now_ms();
    const terms = { ...this.services.terms, now_ms };
    const outgoing: Outgoing[] = [];
    try {
      for (const event of fresh) {
        const answer = answers?.get(event) ?? edits?.get(event.offset);
        const drafts = decideRecord(this.state, event, answer, terms);
        // Without a draft the record is a repeat, and its call keeps its reservations.
        if (answer?.reservations && drafts.length > 0 && wantsRuling(event)) {
          giveBackUnused(this.state.limits, { ...event.event, revision: revisionOf(event) }, answer.reservations, drafts);
        } else if (answer?.reservations && event.event_type === 'approval_voted') {
          keepTaken(this.state.limits, event.event.meta.call_id as string, answer.reservations, drafts);
        }
        this.say(drafts, now_ms, outgoing, event);
        evolveRulings(this.state, event, undefined);
        this.done(event);
      }
    } finally {
      this.writer.enqueue(outgoing);
      this.decisions.limits.settleSoon();
    }
  }

  private async judge(toRule: readonly ToRule[]): Promise<ReadonlyMap<Recorded, Judged>> {
    const questions = toRule.map((event) => questionOf(this.state, event));
    const answers = await this.decisions.judge(questions, this.start);
    return new Map(toRule.map((event, i) => [event as Recorded, answers[i] as Judged]));
  }

  private judgeEdits(fresh: readonly Recorded[]): Promise<ReadonlyMap<number, Judged>> {
    const terms = { ...this.services.terms, now_ms: this.services.clock.now_ms() };
    const stands = (edit: { offset: number }, judged: Judged) => {
      const event = fresh.find(({ offset }) => offset === edit.offset) as Recorded;
      return decideRecord(this.state, event, judged, terms).some((draft) => draft.event_type === 'policy_decided');
    };
    return this.decisions.judgeEdits(editsOf(this.state, fresh), this.start, stands);
  }

  /** Decides waiting calls again: a new revision for those that no longer wait, or now wait for something else. */
  async resume(due: readonly DueDeferral[], at_ms: number): Promise<void> {
    await this.writer.waitForCapacity();
    const questions = due.map((one) => ({
      ...questionAgain(one, at_ms),
      ...holdersOf(this.state, one.call_id, one.deferred.call),
    }));
    const answers = await this.decisions.judge(questions, this.start);
    this.write((now_ms) => {
      const terms = { ...this.services.terms, now_ms };
      const source = noRecord(laneTopic('policy-decided', this.lane));
      return due.flatMap((one, i) => decideAgain(this.state, one, answers[i] as Judged, { ...terms, source }));
    });
    this.handled++;
    this.decisions.limits.settleSoon();
  }

  /** Ends the call of a record that cannot be decided. */
  refuse(event: Recorded): void {
    if (!this.isNew(event)) return;
    this.write((now_ms) => refusePoison(this.state, event, { ...this.services.terms, now_ms }), event);
    this.done(event);
  }

  /** Denies the call of a request that cannot be read beyond its meta. */
  refuseUnreadable(request: Omit<UnreadableRequest, 'lane'>, leaf_hash: string): void {
    if (!this.isNew(request.source)) return;
    const { lane } = this.start;
    const read = { event: request, leaf_hash };
    this.write((now_ms) => refuseUnreadable(this.state, { ...request, lane }, { ...this.services.terms, now_ms }), read);
  }

  /** Denies calls that wait for approval, or are deferred, once their version may no longer run. */
  withdraw(): void {
    if (this.state.approvals.size === 0 && this.state.limits.deferred.size === 0) return;
    const judge = ({ meta, call }: { meta: Meta; call: ToolCall }) => this.decisions.withdrawalOf(meta.tenant_id, call);
    const drafts = withdrawWaiting(this.state, judge, { ...this.services.terms, now_ms: this.services.clock.now_ms() });
    if (drafts.length === 0) return;
    this.write(() => drafts);
    this.handled++;
  }

  /** True if an approval request is past its deadline (`expire` it once every vote before the deadline was read). */
  isOverdue(approval_id: string, now_ms: number): boolean {
    const approval = this.state.approvals.get(approval_id);
    return approval?.status === 'open' && expiresAt(approval) <= now_ms;
  }

  /** Ends an unmet part of a request: it escalates to its next group, or the request expires. */
  expire(approval_id: string): void {
    const approval = this.state.approvals.get(approval_id);
    if (!approval || !this.isOverdue(approval_id, this.services.clock.now_ms())) return;
    this.write((now_ms) => endOfTime(approval, holderOf(approval).meta, now_ms));
    this.handled++;
  }

  /** Reminds the approvers of an open request when a reminder is due. */
  remind(approval_id: string): void {
    const approval = this.state.approvals.get(approval_id);
    if (approval) this.write((now_ms) => remind(approval, holderOf(approval).meta, now_ms));
  }

  /** Removes a grant that is no longer executable, so that no call joins it. */
  forgetGrant(approval_id: string): void {
    const approval = this.state.approvals.get(approval_id);
    if (approval?.status === 'granted' && approval.execute_before_ms <= this.services.clock.now_ms()) dropApproval(this.state, approval);
  }

  private isNew({ topic, offset }: SourcePosition): boolean {
    if (offset < (this.start.inputs.get(topic) ?? 0)) return false;
    return this.start.answered.get(topic)?.has(offset) !== true;
  }

  private write(decide: (now_ms: number) => readonly RulingDraft[], read?: ReadCause): void {
    const now_ms = this.services.clock.now_ms();
    const outgoing: Outgoing[] = [];
    this.say(decide(now_ms), now_ms, outgoing, read);
    this.writer.enqueue(outgoing);
  }

  private done(event: Recorded): void {
    this.handled++;
    this.start.inputs.set(event.topic, Math.max(this.start.inputs.get(event.topic) ?? 0, event.offset + 1));
  }

  /** `read`: the record that they follow from. Gives drafts their id, time and record, and folds them: all of them, or none if one cannot be encoded. */
  private say(drafts: readonly RulingDraft[], now_ms: number, into: Outgoing[], read?: ReadCause): void {
    if (drafts.length === 0) return;
    let { hlc } = this.start;
    const stamped = drafts.map((draft) => {
      const cause_hash = this.start.hashes.of(draft.cause.event_id, read);
      const meta = stampedMeta(draft, { event_id: uuidv7(now_ms), now_ms, after_hlc: hlc, cause_hash });
      hlc = meta.hlc;
      const published = { event_type: draft.event_type, event: { ...draft.body, meta } } as AnyEvent;
      const traceparent = this.services.telemetry.traceparentOf(published, draft.traceparent);
      return { draft, traceparent, outgoing: { published, record: this.records.of(published, draft.key, traceparent) } };
    });
    this.start.hlc = hlc;
    for (const { draft, traceparent, outgoing } of stamped) {
      evolveRulings(this.state, outgoing.published, traceparent);
      if (isWatched(draft)) this.watch(draft.body.approval_id);
      this.services.telemetry.count(outgoing.published);
      into.push(outgoing);
    }
  }

  private watch(approval_id: string): void {
    const approval = this.state.approvals.get(approval_id);
    if (!approval) return;
    const { lane, partition } = this.start;
    for (const at_ms of fallsDue(approval)) this.services.wheel.add(at_ms, { lane, partition, approval_id });
  }
}
