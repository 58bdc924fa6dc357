import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { Tag } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { PinDialog } from './pin-dialog.js';
import { type PinnedKeys, shownKeys, unpinKeys } from './pinned-keys.js';

/** The keys that this browser trusts. */
export function KeysPanel({ keys, onChange }: { keys: readonly PinnedKeys[]; onChange: () => void }) {
  const [is_pinning, setPinning] = useState(false);
  const remove = (vkey: string) => {
    unpinKeys(vkey);
    onChange();
  };
  return (
    <Panel
      title="Keys that you trust"
      actions={
        <Button icon="key" onClick={() => setPinning(true)}>
          Pin keys
        </Button>
      }
    >
      {keys.length === 0 ? <NoKeys /> : keys.map((kept) => <Pinned key={kept.text} kept={kept} onRemove={remove} />)}
      {is_pinning && (
        <PinDialog
          onClose={() => setPinning(false)}
          onPinned={() => {
            setPinning(false);
            onChange();
          }}
        />
      )}
    </Panel>
  );
}

function NoKeys() {
  return (
    <p class="audit-unpinned">
      None. Until you pin the key of the log, this page can only use the one that the server or the file names, and says so. Ask the
      operator for the key by another way, for example on paper.
    </p>
  );
}

function Pinned({ kept, onRemove }: { kept: PinnedKeys; onRemove: (vkey: string) => void }) {
  const { log, witnesses } = shownKeys(kept);
  return (
    <div class="audit-key">
      <div class="audit-key-text">
        <InertText text={log} mono />
        <ul>
          {witnesses.map(({ key, checks }) => (
            <li key={key}>
              <Tag tone={checks === 'heads' ? 'good' : 'neutral'}>{checks === 'heads' ? 'witness, checks heads' : 'witness'}</Tag>{' '}
              <InertText text={key} mono characters_max={200} />
            </li>
          ))}
        </ul>
        <p class="faint">
          pinned <RelativeTime at={kept.pinned_at} />
        </p>
      </div>
      <Button look="quiet" icon="close" aria-label={`Remove the key ${log.slice(0, 100)}`} title="Remove" onClick={() => onRemove(log)} />
    </div>
  );
}
