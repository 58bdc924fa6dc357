import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** A part of a request that is closed until somebody wants it; what is in it is drawn only then. */
export function Fold({ title, note, children }: { title: string; note?: string | undefined; children: () => ComponentChildren }) {
  const [is_open, setOpen] = useState(false);
  return (
    <details class="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="fold-title">{title}</span>
        {note && <span class="soft">{note}</span>}
      </summary>
      {is_open && <div class="fold-body">{children()}</div>}
    </details>
  );
}
