import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { TextField } from '../elements/field.js';
import type { DecisionDialogProps } from './decision-dialog.js';
import { usePerson } from './use-person.js';

const NAMES_SHOWN = 8;

/** Passes this vote on to another person. */
export function DelegateDialog({ approval, cast, onClose }: DecisionDialogProps) {
  const { person } = usePerson();
  const [to, setTo] = useState('');
  const names = [...new Set(approval.asked_because.flatMap(({ can_decide }) => can_decide))].filter((id) => id !== person.id);
  const is_self = to.trim() === person.id;
  const is_ready = to.trim() !== '' && !is_self && approval.status === 'pending';
  return (
    <Dialog
      title="Pass your vote on"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={!is_ready} onClick={() => is_ready && cast({ vote: 'delegate', to: to.trim() })}>
            Pass on
          </Button>
        </>
      }
    >
      <p>Another person decides this request in your place. You can take it back until they have voted.</p>
      <TextField
        label="Person"
        value={to}
        onValue={setTo}
        hint="The id they sign in with."
        characters_max={200}
        error={is_self ? 'That is you.' : undefined}
      />
      {names.length > 0 && (
        <div class="row">
          {names.slice(0, NAMES_SHOWN).map((name) => (
            <Button key={name} onClick={() => setTo(name)}>
              {name}
            </Button>
          ))}
        </div>
      )}
    </Dialog>
  );
}
