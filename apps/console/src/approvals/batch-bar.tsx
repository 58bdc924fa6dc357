import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import type { InboxItem } from './approval.js';
import { BatchDialog } from './batch-dialog.js';
import type { BatchVote } from './selection.js';

/** What can be done with the selected requests. */
export function BatchBar({ items, clear }: { items: readonly InboxItem[]; clear: () => void }) {
  // the dialog keeps the requests that its person saw when it opened
  const [open, setOpen] = useState<{ vote: BatchVote; items: readonly InboxItem[] }>();
  return (
    <div class="batch-bar" role="region" aria-label="Selected requests">
      <span>
        <strong>{items.length}</strong> selected
      </span>
      <div class="row">
        <Button look="primary" onClick={() => setOpen({ vote: 'approve', items })}>
          Approve
        </Button>
        <Button look="danger" onClick={() => setOpen({ vote: 'deny', items })}>
          Deny
        </Button>
        <Button look="quiet" icon="close" aria-label="Clear the selection" onClick={clear} />
      </div>
      {open && <BatchDialog {...open} onClose={() => setOpen(undefined)} onDone={clear} />}
    </div>
  );
}
