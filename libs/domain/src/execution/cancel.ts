/** The state of a call in this process when it is cancelled. */
export type Standing = 'unknown' | 'waiting' | 'joined' | 'claiming' | 'running' | 'settling' | 'ended';

export type Cancellation =
  | { kind: 'ignore' }
  /** The call has not fired and never will: write a tombstone, then its end. */
  | { kind: 'tombstone' }
  /** The call only waits for the answer of another call: it ends, and the other call continues. */
  | { kind: 'leave' }
  /** The call is between claim and fire: it is checked again as the last step before firing. */
  | { kind: 'stop_before_fire' }
  /** The abort signal stops the tool; the outcome is then determined as after a lost answer. */
  | { kind: 'abort' };

/** The meaning of a cancellation in each state of a call. A call that may have fired is never simply reported as cancelled. */
export function cancel(standing: Standing): Cancellation {
  switch (standing) {
    case 'ended':
    case 'settling':
      return { kind: 'ignore' };
    case 'unknown':
    case 'waiting':
      return { kind: 'tombstone' };
    case 'joined':
      return { kind: 'leave' };
    case 'claiming':
      return { kind: 'stop_before_fire' };
    case 'running':
      return { kind: 'abort' };
  }
}
