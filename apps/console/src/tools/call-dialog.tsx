import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { wordFor } from '../elements/word-for.js';
import { optionText } from '../schema-form/option-text.js';
import type { Decision } from './decision-view.js';
import { REVERSIBILITY, type ToolVersion } from './tool-version.js';

interface CallDialogProps {
  version: ToolVersion;
  decision: Decision;
  onClose: () => void;
  onCall: () => void;
}

/** Before a real call that changes something. */
export function CallDialog({ version, decision, onClose, onCall }: CallDialogProps) {
  return (
    <Dialog
      title={`Call ${optionText(version.name)} for real?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" onClick={onCall}>
            Call it
          </Button>
        </>
      }
    >
      <p>
        <strong>This is not a test.</strong> The tool acts on the real system, in your name, and the call stays on the record.
      </p>
      <ul class="stack-tight">
        <li>{wordFor(REVERSIBILITY, version.reversibility)}.</li>
        <li>{AFTER[decision.effect]}</li>
      </ul>
    </Dialog>
  );
}

const AFTER: Readonly<Record<Decision['effect'], string>> = {
  allow: 'It runs at once.',
  require_approval: 'It waits until it is approved; you cannot approve your own call where four eyes are needed.',
  deny: 'It will be denied, and the denial is recorded.',
  defer: 'It waits.',
};
