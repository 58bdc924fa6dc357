import { Button } from '../elements/button.js';
import type { BatchVote } from './selection.js';

/** What can be done with the selected requests. */
export function BatchBar({ count, decide, clear }: { count: number; decide: (vote: BatchVote) => void; clear: () => void }) {
  return (
    <section class="batch-bar" aria-label="Selected requests">
      <span role="status">
        <strong>{count}</strong> selected
      </span>
      <div class="row">
        <Button look="primary" onClick={() => decide('approve')}>
          Approve
        </Button>
        <Button look="danger" onClick={() => decide('deny')}>
          Deny
        </Button>
        <Button look="quiet" icon="close" aria-label="Clear the selection" onClick={clear} />
      </div>
    </section>
  );
}
