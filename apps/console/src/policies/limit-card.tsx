import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { Tag } from '../elements/status-badge.js';
import { exactDuration } from './exact-duration.js';
import { LimitDialog } from './limit-dialog.js';
import { LimitRemoval } from './limit-removal.js';
import { LimitUsage } from './limit-usage.js';
import { isCounting, kindLabel, type Limit, limitSentence } from './limit-words.js';
import { useChangeRefusal } from './rights.js';
import { Since } from './since.js';

/** A limit in one sentence, how much of it is used, and its changes. */
export function LimitCard({ limit }: { limit: Limit }) {
  const [asked, setAsked] = useState<'change' | 'remove'>();
  const refused = useChangeRefusal();
  const close = () => setAsked(undefined);
  const { limit_id, by, changed_at, on_exceeded, defer_timeout_ms } = limit;
  return (
    <article class="policies-limit">
      <header class="policies-limit-head">
        <div class="policies-limit-title">
          <h3>
            <InertText text={limit_id} characters_max={100} />
          </h3>
          <Tag>{limit.default ? 'built in' : kindLabel(limit.kind)}</Tag>
        </div>
        {!limit.default && refused === undefined && (
          <div class="row">
            <Button look="quiet" aria-label={`Change the limit ${limit_id}`} onClick={() => setAsked('change')}>
              Change
            </Button>
            <Button look="quiet" aria-label={`Remove the limit ${limit_id}`} onClick={() => setAsked('remove')}>
              Remove
            </Button>
          </div>
        )}
      </header>
      <p>
        <InertText text={limitSentence(limit)} characters_max={400} />
      </p>
      <p class="soft">
        {on_exceeded === 'defer'
          ? `Above it a call waits${defer_timeout_ms === null ? '' : `, at most ${exactDuration(defer_timeout_ms)}`}.`
          : 'Above it a call is denied.'}
        {by !== null && changed_at !== null && (
          <>
            {' '}
            Set <Since at={changed_at} by={by} />.
          </>
        )}
      </p>
      {isCounting(limit) && <LimitUsage limit={limit} />}
      {asked === 'change' && <LimitDialog shown={limit} onClose={close} />}
      {asked === 'remove' && <LimitRemoval limit={limit} onClose={close} />}
    </article>
  );
}
