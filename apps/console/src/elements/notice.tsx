import type { ComponentChildren } from 'preact';
import './notice.css';

/** What a person must know before an action on this screen. */
export function Notice({
  tone,
  title,
  children,
}: {
  tone: 'bad' | 'warn' | 'busy' | 'neutral';
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class={`notice-box tone-${tone}`}>
      <strong>{title}</strong> {children}
    </div>
  );
}
