import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { TextField } from '../elements/field.js';
import { HOLD_MAX_S, readHoldSeconds, writeHoldSeconds } from './hold-setting.js';

/** How long a vote that ends its request can be taken back. */
export function HoldDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState(String(readHoldSeconds()));
  const seconds = Number(text);
  const is_valid = /^\d{1,2}$/.test(text.trim()) && seconds <= HOLD_MAX_S;
  const save = () => {
    if (!is_valid) return;
    writeHoldSeconds(seconds);
    onClose();
  };
  return (
    <Dialog
      title="Settings of this inbox"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={!is_valid} onClick={save}>
            Save
          </Button>
        </>
      }
    >
      <TextField
        label="Seconds to undo a final vote"
        type="number"
        value={text}
        onValue={setText}
        hint={`A vote that ends a request waits this long in your browser before it is sent. 0 to ${HOLD_MAX_S}; 0 sends at once.`}
        error={is_valid ? undefined : `Enter a whole number from 0 to ${HOLD_MAX_S}.`}
      />
    </Dialog>
  );
}
