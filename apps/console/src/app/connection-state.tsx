import type { Tone } from '../elements/status.js';
import { StatusBadge } from '../elements/status-badge.js';
import { useReachable } from '../gateway/context.js';
import { useLiveState } from '../live/live.js';
import type { LiveState } from '../live/live-event.js';

const STATES: Readonly<Record<LiveState, readonly [word: string, tone: Tone, title: string]>> = {
  connecting: ['Connecting', 'busy', 'The live stream is being opened'],
  live: ['Live', 'good', 'Changes arrive by themselves'],
  cut: ['Resuming', 'warn', 'The live stream was cut and resumes where it was'],
  off: ['Every 15 s', 'neutral', 'There is no live stream: lists are read again every 15 s'],
};

/** Whether what is shown is up to date. */
export function ConnectionState() {
  const is_reachable = useReachable();
  const state = useLiveState();
  const [word, tone, title] = is_reachable ? STATES[state] : (['Offline', 'bad', 'The gateway does not answer'] as const);
  return (
    <span class="connection" role="status" title={title}>
      <StatusBadge status={state} word={word} tone={tone} />
    </span>
  );
}
