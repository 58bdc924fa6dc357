import { defaultTier, parseCallId, type Tier } from '@countersign/contracts';
import { type AnswerTerms, answerTerms } from '@countersign/domain';
import { encodeHint } from '@countersign/process';
import { detach, detachAll, readmit } from './detaching.js';
import { deprecationOf } from './judging/deprecation.js';
import type { LaneParts } from './lane-parts.js';
import type { Job } from './running/job.js';
import { refusedOutcome } from './running/outcomes.js';

/** Joins the parts of a lane: each says what happened, here is what follows. */
export function wire(parts: LaneParts): void {
  const permitted = () => parts.lease.check();
  parts.starts.permitted = permitted;
  parts.ends.permitted = permitted;
  const proven = () => parts.lease.proven();
  parts.starts.proven = proven;
  parts.ends.proven = proven;
  wireIntake(parts);
  wireClaims(parts);
  wireRuns(parts);
  wireEnds(parts);
  wireTakeover(parts);
  parts.lease.onLost = () => detachAll(parts);
}

/** What the contract of a call's tool says about how long its answer stands. */
function termsOf({ runtime }: LaneParts, job: Job): AnswerTerms {
  return answerTerms(job.call.key_source, runtime.find(job)?.contract);
}

function tierOf({ runtime }: LaneParts, job: Job): Tier {
  const contract = runtime.find(job)?.contract;
  return contract ? defaultTier(contract) : 'tier_2_approval_required';
}

const RESOURCE_IN_DOUBT =
  'resource_in_doubt: an earlier effect on the same resource has an unknown outcome; it may still happen, or have happened after this one';
const LOOK_AGAIN_MS = 250;

function refuseNow(
  parts: LaneParts,
  job: Job,
  why: Parameters<typeof refusedOutcome>[1],
  issues: Parameters<typeof refusedOutcome>[2],
): void {
  unlessClosed(parts, job, () => {
    if (job.epoch === 0) job.epoch = parts.lease.epoch;
    parts.ends.end(job, refusedOutcome(job, why, issues, parts.deps.clock.now_ms()));
  });
}

/** Writes the end of a call that was granted, but for one whose approval had ended without a grant: that end stands. */
function unlessClosed(parts: LaneParts, job: Job, end: () => void): void {
  if (job.authorised.approval_id === null) {
    end();
    return;
  }
  job.stage = 'looking_up';
  const again = () => setTimeout(() => job.stage === 'looking_up' && unlessClosed(parts, job, end), LOOK_AGAIN_MS).unref();
  parts.withoutApproval(job).then((closed) => {
    if (job.stage !== 'looking_up') return;
    if (closed) parts.lost.leave(job);
    else end();
  }, again);
}

function wireIntake(parts: LaneParts): void {
  const { intake, dispatcher, claims, open, ends, runs, resolutions, deps } = parts;
  intake.steps = {
    enqueue: (job) => dispatcher.enqueue(job),
    lookUp: (job) => claims.add(job),
    answer: (job, original) => {
      const settled = open.settledOf(job.key);
      if (settled?.call_id !== original || termsOf(parts, job).has_verify) claims.add(job);
      else {
        const { attempt, outcome } = settled;
        const earlier = { call_id: original, attempt, outcome, because: 'same_request' as const, effect_now: null };
        unlessClosed(parts, job, () => ends.deduplicate(job, earlier));
      }
    },
    refuse: (job, why, issues) => dispatcher.refuse(job, why, issues),
    withdraw: (job) => dispatcher.withdraw(job),
    abort: (job) => runs.cancel(job),
    resolve: (partition, recorded) =>
      void resolutions
        .byPerson(partition, recorded)
        .catch((cause) => deps.logger.error({ cause: String(cause) }, 'a resolution was not written; it is read again')),
    windowOf: (job) => parts.windowOf(job),
  };
  dispatcher.steps = {
    claim: (job) => {
      parts.spans.begin(job);
      claims.add(job);
    },
    flushClaims: () => claims.flush(),
    fire: (jobs) => {
      for (const job of jobs) {
        parts.spans.begin(job);
        job.epoch = parts.lease.epoch;
      }
      runs.fire(jobs);
    },
    refused: (job, why, issues) => refuseNow(parts, job, why, issues),
    rejudged: (job, judgement) => unlessClosed(parts, job, () => ends.rejudge(job, judgement.ruling, parts.judge.configOffset)),
    permitted: () => parts.lease.check(),
  };
}

/** Policy looks at the rows when it rules again: what ended here must be in them by then. */
function answerGone(parts: LaneParts, job: Job): void {
  job.stage = 'looking_up';
  const end = () => parts.ends.answerGone(job, tierOf(parts, job), parts.judge.configOffset);
  parts.progress.write().then(
    () => job.stage === 'looking_up' && unlessClosed(parts, job, end),
    () => parts.claims.add(job),
  );
}

function wireClaims(parts: LaneParts): void {
  const { claims, lost, starts, partitions, ends, dispatcher, open, reader } = parts;
  const won = (jobs: readonly Job[]) => {
    if (parts.lease.unproven) return wonLater(jobs);
    if (!parts.lease.check()) return detach(parts, jobs);
    const fired: Job[] = [];
    for (const job of jobs) {
      if (job.refusal) refuseNow(parts, job, job.refusal.why, job.refusal.issues);
      else {
        partitions.cover(job);
        fired.push(job);
      }
    }
    void starts.start(fired);
  };
  const wonLater = (jobs: readonly Job[]) => {
    const { epoch } = parts.lease;
    void parts.lease.proven().then((held) => (held && parts.lease.epoch === epoch ? won(jobs) : detach(parts, jobs)));
  };
  claims.onWon = won;
  claims.onLost = (job, rows) => lost.handle(job, rows);
  claims.onUnclaimed = (jobs) => readmit(parts, jobs);
  lost.steps = {
    won: (job) => {
      job.epoch = parts.lease.epoch;
      job.claimed = true;
      won([job]);
    },
    claimAgain: (job) => {
      const again = () => {
        claims.add(job);
        claims.flush();
      };
      // The attempt before must be released in its row before the next one can get its own.
      parts.progress.write().then(again, again);
    },
    deduplicate: (job, earlier) => unlessClosed(parts, job, () => ends.deduplicate(job, earlier)),
    park: (job) => dispatcher.park(job),
    answerGone: (job) => answerGone(parts, job),
    termsOf: (job) => termsOf(parts, job),
    look: (job, outcome) => parts.checks.look(job, outcome),
    refused: (job, why) => refuseNow(parts, job, why, []),
    withoutApproval: (job) => refuseNow(parts, job, 'approval_used', []),
    tombstoned: (job, claimed) => {
      job.claimed = claimed;
      const { why, issues } = job.refusal ?? { why: 'expired' as const, issues: [] };
      refuseNow(parts, job, why, issues);
    },
    leave: (job) => {
      partitions.cover(job);
      open.remove(job);
      job.stage = 'gone';
      dispatcher.release(job);
    },
    readmit: (jobs) => readmit(parts, jobs),
    epoch: () => parts.lease.epoch,
    windowOf: (job) => parts.windowOf(job),
    outcomeAt: (job, call_id, offset) =>
      reader.outcomeAt(partitions.get(job.lane, parseCallId(call_id)?.partition ?? job.partition), offset),
    release: (job) => dispatcher.release(job),
  };
}

function wireRuns(parts: LaneParts): void {
  const { runs, starts, firstFires, ends, dispatcher, resolutions, judge, runtime, deps, openings } = parts;
  const failed = (cause: unknown) => deps.logger.error({ cause: String(cause) }, 'evidence was not written');
  starts.place = (job) => runtime.place(job);
  starts.settleMs = (job) => runtime.find(job)?.contract.settle_ms ?? 0;
  starts.configOffset = () => judge.configOffset;
  starts.onStarted = (jobs) => firstFires.take(jobs);
  firstFires.steps = { fire: (jobs) => runs.fire(jobs), refused: (job, outcome) => runs.onEnd(job, outcome) };
  if (parts.spans.recording) runs.observer = parts.spans;
  runs.onEnd = (job, outcome) => {
    const warning = deprecationOf(parts.configuration.state, job);
    if (warning !== undefined) outcome.warnings.push(warning);
    if (job.resource_in_doubt) outcome.warnings.push(RESOURCE_IN_DOUBT);
    const sealed = openings.outcome(job, outcome);
    parts.spans.ending(job, sealed);
    dispatcher.release(job);
    ends.end(job, sealed);
  };
  runs.onFault = (job, cause) => {
    const said = job.call.sealed || !(cause instanceof Error) ? 'not told' : cause.stack;
    deps.logger.error({ call_id: job.call_id, tool: job.call.tool, cause: said }, 'the end of a run went wrong');
  };
  runs.onUnproven = (jobs) => firstFires.hold(jobs);
  runs.onResend = (job) => void starts.start([job]);
  runs.onIdle = (job) => dispatcher.release(job);
  runs.onLateResult = (job, outcome) => void resolutions.byLateResult(job, openings.outcome(job, outcome)).catch(failed);
  runs.onEvidence = (job, outcome) => void ends.evidence(job, openings.outcome(job, outcome)).catch(failed);
}

function wireEnds(parts: LaneParts): void {
  const { ends, dispatcher, reader, open, runs, partitions, deps, options } = parts;
  ends.onGone = (job, outcome) => {
    parts.spans.end(job, outcome);
    if (outcome && job.started_at_ms > 0) parts.tools.ended(job, outcome);
    dispatcher.release(job);
    if (job.resources !== null) dispatcher.wakeParked();
  };
  ends.onReadmit = (jobs) => readmit(parts, jobs);
  ends.onRecorded = (records, offsets) => {
    if (!deps.wake_ups.is_ahead_of_log) return;
    deps.wake_ups.publish(
      options.lane,
      records.map((record, at) => encodeHint(offsets[at] as number, record.value)),
    );
  };
  reader.onEnd = (partition, { call_id, attempt, outcome }) => {
    const waiting = partition.foreign.get(call_id);
    partition.foreign.delete(call_id);
    const ended = { call_id, attempt, outcome, because: 'live_key' as const, effect_now: null };
    for (const job of waiting ?? []) ends.deduplicate(job, ended);
    const job = open.ofCall(call_id);
    if (!job || !['settling', 'resending', 'waiting', 'joined'].includes(job.stage)) return;
    runs.drop(job, 'lease_lost');
    for (const joiner of job.joiners ?? []) ends.deduplicate(joiner, ended);
    job.joiners = undefined;
    if (job.stage === 'waiting') dispatcher.withdraw(job);
    job.stage = 'gone';
    open.remove(job);
    partitions.cover(job);
    dispatcher.release(job);
  };
}

function wireTakeover(parts: LaneParts): void {
  const { takeover, open, queue, starts, firstFires, runs, ends, dispatcher, partitions } = parts;
  takeover.steps = {
    adopt: (partition, job) => {
      const known = open.ofCall(job.call_id);
      if (known) {
        // The same ruling, read again: it must not find the row that is taken over here and think that it won it.
        dispatcher.withdraw(known);
        dispatcher.release(known);
        partitions.cover(known);
        known.stage = 'gone';
        open.remove(known);
      }
      open.add(job, job.write);
      job.joiners = [...(partition.foreign.get(job.call_id) ?? []), ...(known?.joiners ?? [])];
      partition.foreign.delete(job.call_id);
      job.slot = true;
      queue.hold(job.tenant_id);
    },
    start: (jobs) => void starts.start(jobs),
    fire: (jobs) => firstFires.take(jobs),
    settleAt: (job, at_ms) => runs.settleAt(job, at_ms),
    end: (job, outcome) => {
      dispatcher.release(job);
      ends.end(job, outcome);
    },
    readmit: (jobs) => readmit(parts, jobs),
    refusalOf: (job) => firstFires.refusalOf(job),
    epoch: () => parts.lease.epoch,
    ownerDead: (epoch) => parts.lease.ownerDead(epoch),
  };
}
