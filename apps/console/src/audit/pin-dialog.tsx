import { useId, useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { TextArea } from '../elements/field.js';
import { pinKeys } from './pinned-keys.js';

const CHARACTERS_MAX = 20_000;

/** Takes keys that an auditor pastes. */
export function PinDialog({ onClose, onPinned }: { onClose: () => void; onPinned: () => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      const { pinnable } = await import('./proof/browser-verifier.js');
      pinKeys(pinnable(text), new Date());
      onPinned();
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : 'These are no keys.');
    }
  };
  return (
    <Dialog
      title="Pin keys"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} look="primary">
            Pin
          </Button>
        </>
      }
    >
      <form id={id} class="stack" onSubmit={submit} noValidate>
        <TextArea
          label="Trust file, or the key of the log"
          hint={
            <>
              A trust file as for <code>countersign verify --trust</code>, or one line: the key of the log. Further lines are keys of
              witnesses, with <code>heads:</code> before those that check heads. Each of them must then have cosigned.
            </>
          }
          value={text}
          onValue={setText}
          error={error}
          rows={6}
          mono
          characters_max={CHARACTERS_MAX}
        />
        <p class="soft">
          Take keys from the people who run the log and its witnesses, not from this server. They stay in this browser. As soon as one is
          pinned, no other key is accepted.
        </p>
      </form>
    </Dialog>
  );
}
