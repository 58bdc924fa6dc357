import { Button } from '../elements/button.js';
import { CopyButton } from '../elements/copy-button.js';
import { Dialog } from '../elements/dialog.js';
import './settings.css';

interface ShownOnceProps {
  title: string;
  /** What the value is for. */
  about: string;
  value: string;
  onClose: () => void;
}

/** A value that the gateway tells once. It is in this dialog only, and gone when it closes. */
export function ShownOnce({ title, about, value, onClose }: ShownOnceProps) {
  return (
    // without onClose: neither Escape nor a click beside it loses the value
    <Dialog
      title={title}
      actions={
        <Button look="primary" onClick={onClose}>
          I have stored it
        </Button>
      }
    >
      <p>{about}</p>
      <div class="settings-once">
        <code data-testid="shown-once">{value}</code>
        <CopyButton text={value} label="Copy" />
      </div>
      <p class="soft">It is shown only now. If it is lost, make a new one.</p>
    </Dialog>
  );
}
