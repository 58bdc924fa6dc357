import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Panel } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { LimitCard } from './limit-card.js';
import { LimitDialog } from './limit-dialog.js';
import type { Limit } from './limit-words.js';
import { useChangeRefusal } from './rights.js';
import './limits.css';

/** What agents, tools, cases and runs may use up, and how much of it is used. */
export function LimitsTab() {
  const refused = useChangeRefusal();
  const [is_adding, setAdding] = useState(false);
  const list = useInfinite<Limit>({
    kind: 'configuration',
    key: ['limits'],
    read: (api, cursor, signal) => api.GET('/v1/limits', { params: { query: { limit: 50, ...(cursor && { cursor }) } }, signal }),
  });
  return (
    <div class="stack">
      <div class="row row-spread">
        <p class="soft">
          Bounds on calls that hold whatever the rules say. A call that would exceed one is denied, or waits until there is room.
        </p>
        <Button look="primary" icon="plus" disabled={refused !== undefined} title={refused} onClick={() => setAdding(true)}>
          Add a limit
        </Button>
      </div>
      {refused && <p class="soft">{refused}</p>}
      {list.is_loading && <Skeleton lines={6} />}
      {!list.items && list.problem && <ErrorState problem={list.problem} retry={list.refresh} />}
      {list.items?.every((limit) => limit.default) && (
        <Panel>
          <EmptyState icon="policies" title="Only the built-in limits">
            Add one to bound what an agent can do in an hour, or what it can spend in a day.
          </EmptyState>
        </Panel>
      )}
      <ul class="policies-limits" aria-label="Limits">
        {(list.items ?? []).map((limit) => (
          <li key={limit.limit_id}>
            <LimitCard limit={limit} />
          </li>
        ))}
      </ul>
      {list.has_more && (
        <Button is_busy={list.is_loading_more} onClick={list.more}>
          {list.is_loading_more ? 'Loading' : 'Load more'}
        </Button>
      )}
      {is_adding && <LimitDialog onClose={() => setAdding(false)} />}
    </div>
  );
}
