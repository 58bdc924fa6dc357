import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { usePlace } from '../navigation/navigation.js';
import './screen.css';

/** The visit whose heading had the focus last: the first one leaves the focus where the browser puts it. */
let focused_visit = 0;

/** Whether the element that had the focus is gone, such as the heading of the screen while it was loaded. */
const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body;

interface ScreenProps {
  title: string;
  /** One line below the title. */
  about?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** What a screen shows: its title names the tab and gets the focus after a navigation. */
export function Screen({ title, about, actions, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { visit } = usePlace();
  useEffect(() => {
    document.title = `${title} · Countersign`;
  }, [title]);
  useEffect(() => {
    if (visit === 0 || (visit === focused_visit && !isFocusLost())) return;
    focused_visit = visit;
    heading.current?.focus({ preventScroll: true });
  }, [visit]);
  return (
    <div class="screen">
      <header class="screen-head">
        <div class="screen-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about && <div class="soft">{about}</div>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a screen with a heading, on its own ground. */
export function Panel({ title, actions, children }: { title?: string; actions?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="panel">
      {(title || actions) && (
        <header class="row row-spread">
          {title && <h2>{title}</h2>}
          {actions && <div class="row">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}
