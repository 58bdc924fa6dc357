/** The state of a call in this process when it is cancelled. */
export type Standing = 'unknown' | 'waiting' | 'joined' | 'claiming' | 'running' | 'settling' | 'ended';

export type Cancellation =
  | { kind: 'ignore' }
  /** It has not fired and never will: tombstone, then its end. */
  | { kind: 'tombstone' }
  /** It only waits for the answer of another call: it ends, the other goes on. */
  | { kind: 'leave' }
  /** Between claim and fire: it is looked at again as the last step before firing. */
  | { kind: 'stop_before_fire' }
  /** The signal aborts it; what happened outside is then found out as after a lost answer. */
  | { kind: 'abort' };

/** What cancelling means at each point of a call's way. A call that may have fired is never simply called cancelled. */
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
