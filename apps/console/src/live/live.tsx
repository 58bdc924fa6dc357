import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { LiveEvent, LiveState } from './live-event.js';
import { type LiveListener, LiveStream } from './live-stream.js';

/** Events of the stream for the components that follow it. */
class LiveEvents {
  private readonly listeners = new Set<(event: LiveEvent) => void>();

  subscribe(listener: (event: LiveEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  publish(event: LiveEvent): void {
    for (const listener of [...this.listeners]) listener(event);
  }
}

const StateContext = createContext<LiveState>('connecting');
const EventsContext = createContext<LiveEvents | undefined>(undefined);

interface LiveProviderProps extends Pick<LiveListener, 'changed' | 'missed' | 'refused'> {
  /** Whose stream it is. */
  person: string;
  /** False while the session has ended: nothing is followed until its person has signed in again. */
  is_active: boolean;
  children: ComponentChildren;
}

/** Follows the stream of a person while it is shown. */
export function LiveProvider({ person, is_active, changed, missed, refused, children }: LiveProviderProps) {
  const [state, setState] = useState<LiveState>('connecting');
  const [events] = useState(() => new LiveEvents());
  const latest = useRef({ changed, missed, refused });
  latest.current = { changed, missed, refused };
  useEffect(() => {
    if (!is_active) return;
    const stream = new LiveStream(person, {
      changed: (event) => {
        latest.current.changed(event);
        events.publish(event);
      },
      missed: () => latest.current.missed(),
      refused: () => latest.current.refused(),
      state: setState,
    });
    stream.open();
    return () => stream.close();
  }, [person, is_active, events]);
  return (
    <StateContext.Provider value={state}>
      <EventsContext.Provider value={events}>{children}</EventsContext.Provider>
    </StateContext.Provider>
  );
}

/** Whether changes arrive by themselves. */
export const useLiveState = (): LiveState => useContext(StateContext);

/** Calls `handle` for each live event while the component is shown. Queries are kept up to date without it. */
export function useLiveEvents(handle: (event: LiveEvent) => void): void {
  const events = useContext(EventsContext);
  const latest = useRef(handle);
  latest.current = handle;
  useEffect(() => events?.subscribe((event) => latest.current(event)), [events]);
}
