import type { Standing } from '../cancel.js';

/** The stage of a call in one executor process. */
export type CallStage =
  /** Read from the log but not admitted yet; also a call that is admitted again. */
  | 'new'
  /** Waits for a slot of its tenant. */
  | 'queued'
  /** Waits, without a slot, for another effect on its resources. */
  | 'parked'
  /** Has a slot; checks whether it may still run. */
  | 'judging'
  /** Will not fire; checks whether it leaves a tombstone. */
  | 'refusing'
  /** Its row is being claimed, or the rows of its key are being read. */
  | 'claiming'
  /** Owns its row; checks whether the lease of the claim is still valid. */
  | 'claimed'
  /** Claims again after the ends are folded into the rows, or after a pause. */
  | 'reclaiming'
  /** The outcome of an earlier call that answers it is being read and checked. */
  | 'reading_answer'
  /** No earlier answer is valid; ends are written to the rows before policy decides again. */
  | 'folding'
  /** Its end is known; checks whether its approval closed without a grant. */
  | 'checking_approval'
  /** Its tool_call_started is on its way to the log. */
  | 'starting'
  /** Its start is durable; one last check before it fires. */
  | 'gated'
  | 'running'
  /** The tool has answered; its effect is read back, or its full output is stored. */
  | 'finishing'
  /** Waits before it is sent again. */
  | 'resending'
  /** Its answer was lost; queries its system of record. */
  | 'settling'
  /** Its end is about to be sent to the log. */
  | 'ending'
  /** Its end was sent: its append no longer depends on the lease. */
  | 'writing'
  /** Waits for the answer of another call with its key in this process. */
  | 'joined'
  /** Waits for the answer of a call with its key in another process. */
  | 'awaiting_remote'
  | 'in_doubt'
  /** Its lease was lost: the next owner of the lease settles it. */
  | 'detached'
  | 'gone';

/** The state in which a cancellation finds the call. */
const standings: Readonly<Record<CallStage, Standing>> = {
  new: 'unknown',
  queued: 'waiting',
  parked: 'waiting',
  judging: 'waiting',
  refusing: 'claiming',
  claiming: 'claiming',
  claimed: 'claiming',
  reclaiming: 'claiming',
  reading_answer: 'claiming',
  folding: 'claiming',
  checking_approval: 'claiming',
  starting: 'claiming',
  gated: 'claiming',
  running: 'running',
  finishing: 'ended',
  resending: 'running',
  settling: 'settling',
  ending: 'ended',
  writing: 'ended',
  joined: 'joined',
  awaiting_remote: 'joined',
  in_doubt: 'ended',
  detached: 'ended',
  gone: 'ended',
};

export const callStages = Object.keys(standings) as readonly CallStage[];

export function standingOf(stage: CallStage): Standing {
  return standings[stage];
}

const finished: ReadonlySet<CallStage> = new Set(['in_doubt', 'detached', 'gone']);
const waits: ReadonlySet<CallStage> = new Set(['new', 'queued', 'parked', 'settling', 'joined', 'awaiting_remote']);

/** True if this process has nothing more to do for the call. */
export const isFinished = (stage: CallStage): boolean => finished.has(stage);

/** True if a closing process waits for the call, because it progresses by itself and soon. */
export const isBusy = (stage: CallStage): boolean => !finished.has(stage) && !waits.has(stage);
