import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { Select, TextField } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import type { DecisionDialogProps } from './decision-dialog.js';
import { durationsOf, type Grant, grantText, scopesOf, USES_MAX } from './grant-bounds.js';

/** Approves, and with it a bounded number of similar calls. */
export function GrantDialog({ approval, cast, onClose }: DecisionDialogProps) {
  const durations = durationsOf(approval);
  const scopes = scopesOf(approval);
  const [scope, setScope] = useState(scopes[0]?.[0] ?? 'tool');
  const [for_ms, setFor] = useState(durations[0]?.[0] ?? '1000');
  const [uses_text, setUses] = useState('5');
  const uses = Number(uses_text);
  const is_valid = /^\d{1,4}$/.test(uses_text.trim()) && uses >= 1 && uses <= USES_MAX;
  const grant: Grant = { scope, for_ms: Number(for_ms), uses };
  const is_ready = is_valid && approval.status === 'pending';
  return (
    <Dialog
      title="Approve this and similar calls"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={!is_ready} onClick={() => is_ready && cast({ vote: 'approve', grant })}>
            Approve with these bounds
          </Button>
        </>
      }
    >
      <Select label="Covers" value={scope} onValue={(value) => setScope(value as Grant['scope'])} options={scopes} />
      <Select label="For" value={for_ms} onValue={setFor} options={durations} />
      <TextField
        label="Calls at most"
        type="number"
        value={uses_text}
        onValue={setUses}
        error={is_valid ? undefined : `Enter a whole number from 1 to ${USES_MAX}.`}
      />
      {is_valid && (
        <p class="grant-text">
          <InertText text={grantText(approval, grant)} characters_max={400} />
        </p>
      )}
      <p class="soft">
        Similar means: the same caller, tool and version. Inputs that the contract of the tool does not mark as open must be equal, and
        amounts may not exceed those approved here. The grant can be revoked.
      </p>
    </Dialog>
  );
}
