import { useContext, useEffect, useState } from 'preact/hooks';
import { InRowContext } from './in-row.js';
import { exactTime, relativeTime } from './relative-time.js';
import './time.css';

/** One clock for all times on the page. */
const listeners = new Set<(now_ms: number) => void>();
const TICK_MS = 1_000;
let timer: ReturnType<typeof setInterval> | undefined;

function watchClock(listener: (now_ms: number) => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    if (document.visibilityState === 'visible') for (const each of [...listeners]) each(Date.now());
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The present time; the component is drawn again when `text` of it changes. */
export function useClock<T>(text: (now_ms: number) => T): T {
  const [value, setValue] = useState(() => text(Date.now()));
  useEffect(() => {
    setValue(text(Date.now()));
    return watchClock((now_ms) => setValue(text(now_ms)));
  }, [text]);
  return value;
}

/** A time relative to now; its exact form shows on hover and on focus. A row of a list has one stop for the Tab key: there on hover only. */
export function RelativeTime({ at }: { at: string }) {
  const at_ms = Date.parse(at);
  const in_row = useContext(InRowContext);
  const [text, setText] = useState(() => relativeTime(at_ms, Date.now()));
  useEffect(() => {
    setText(relativeTime(at_ms, Date.now()));
    return watchClock((now_ms) => setText(relativeTime(at_ms, now_ms)));
  }, [at_ms]);
  if (Number.isNaN(at_ms)) return <span class="faint">unknown time</span>;
  const exact = exactTime(at_ms);
  return (
    <time dateTime={at} class="time" data-exact={exact} title={exact} tabIndex={in_row ? undefined : 0}>
      {text}
    </time>
  );
}
