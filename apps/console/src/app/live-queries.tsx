import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useGateway } from '../gateway/context.js';
import type { Kind } from '../gateway/query-keys.js';
import { personKey, type Session } from '../gateway/session.js';
import { LiveProvider, useLiveState } from '../live/live.js';
import type { LiveEvent } from '../live/live-event.js';
import { readSession } from '../session/session-requests.js';

/** Without a live stream the shown answers are read again this often. */
const POLL_MS = 15_000;

/** Keeps what is shown up to date: by the live stream, or by reading it again where there is none. */
export function LiveQueries({ session, is_active, children }: { session: Session; is_active: boolean; children: ComponentChildren }) {
  const gateway = useGateway();
  const changed = ({ kind, id, case_id, position }: LiveEvent) => {
    gateway.reachability.reached();
    gateway.positions.record(position);
    gateway.invalidator.changed({ kind: kind as Kind, id });
    if (case_id !== undefined && kind !== 'case') gateway.invalidator.changed({ kind: 'case', id: case_id });
  };
  return (
    <LiveProvider
      person={personKey(session)}
      is_active={is_active}
      changed={changed}
      missed={() => gateway.invalidator.everything()}
      refused={() => void readSession(gateway)}
    >
      <Polling />
      {children}
    </LiveProvider>
  );
}

function Polling() {
  const { invalidator, reachability } = useGateway();
  const state = useLiveState();
  useEffect(() => {
    // the browser's opinion of the network is only a reason to ask: the gateway may run on this machine
    const check = () => void reachability.check();
    for (const event of ['online', 'offline']) window.addEventListener(event, check);
    return () => {
      for (const event of ['online', 'offline']) window.removeEventListener(event, check);
    };
  }, [reachability]);
  useEffect(() => {
    if (state === 'cut' || state === 'off') void reachability.check();
    if (state !== 'off') return;
    const timer = setInterval(() => document.visibilityState === 'visible' && reachability.reachable && invalidator.everything(), POLL_MS);
    return () => clearInterval(timer);
  }, [state, invalidator, reachability]);
  return null;
}
