import type { ComponentChildren } from 'preact';
import './notice.css';

/** What somebody must know before doing something here. */
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
