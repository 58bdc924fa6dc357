import type { components } from '@countersign/client';
import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useToast } from '../elements/toast.js';
import { FormDialog } from '../forms/form-dialog.js';
import { placedErrors } from '../forms/placed-errors.js';
import { RemovalDialog } from '../forms/removal-dialog.js';
import { useChange } from '../forms/use-change.js';
import { useSession } from '../gateway/context.js';
import { secretRefusal } from './permission.js';
import { SecretField } from './secret-field.js';
import { scopeWord } from './secret-scopes.js';

type Secret = components['schemas']['SecretListed'];

/** A secret without its value; rotate and delete. */
export function SecretDialog({ item, onClose }: { item: Secret; onClose: () => void }) {
  const refused = secretRefusal(useSession(), item);
  const [mode, setMode] = useState<'facts' | 'rotate' | 'delete'>('facts');
  const back = () => setMode('facts');
  if (mode === 'rotate') return <RotateForm item={item} onClose={back} />;
  if (mode === 'delete') return <DeleteForm item={item} onCancel={back} onDeleted={onClose} />;
  return (
    <Dialog
      title="Secret"
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => setMode('rotate')} disabled={refused !== undefined} title={refused}>
            Rotate
          </Button>
          <Button look="danger" onClick={() => setMode('delete')} disabled={refused !== undefined} title={refused}>
            Delete
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          ['Name', <InertText key="n" text={item.name} mono />],
          ['Of', <InertText key="o" text={scopeWord(item)} />],
          ['Value', 'cannot be read'],
          ['Version', item.version],
          ['Changed', <RelativeTime key="c" at={item.changed_at} />],
          ['Expires', item.expires_at ? <RelativeTime key="e" at={item.expires_at} /> : 'never'],
        ]}
      />
      {refused && <p class="soft">{refused}</p>}
    </Dialog>
  );
}

/** With the ETag of what the person saw when the form was opened: a change that somebody made meanwhile is not lost. */
const placeOf = ({ scope, name, etag }: Secret) => ({ path: { scope, name }, header: { 'If-Match': etag } });

function RotateForm({ item: shown, onClose }: { item: Secret; onClose: () => void }) {
  const [item] = useState(shown);
  const toast = useToast();
  const [value, setValue] = useState('');
  const rotated = useChange((api, next: string) =>
    api.POST('/v1/secrets/{scope}/{name}/rotate', { params: placeOf(item), body: { value: next } }),
  );
  const { at, rest } = placedErrors(rotated.problem, ['/value']);
  const submit = async () => {
    if (!(await rotated.run(value)).ok) return;
    toast({ tone: 'good', text: 'The secret has a new value' });
    onClose();
  };
  return (
    <FormDialog
      title="Rotate the secret"
      action="Rotate"
      is_pending={rotated.is_pending}
      problem={rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        Calls use the new value of <InertText text={item.name} mono /> from now on. The former one is not kept.
      </p>
      <SecretField
        label="New value"
        hint="At least 8 characters. It cannot be read again."
        value={value}
        onValue={setValue}
        error={at['/value']}
      />
    </FormDialog>
  );
}

function DeleteForm({ item: shown, onCancel, onDeleted }: { item: Secret; onCancel: () => void; onDeleted: () => void }) {
  const [item] = useState(shown);
  const deleted = useChange((api, _input: undefined) => api.DELETE('/v1/secrets/{scope}/{name}', { params: placeOf(item) }));
  return (
    <RemovalDialog
      title="Delete this secret?"
      action="Delete"
      removing={deleted}
      done="The secret is deleted"
      onCancel={onCancel}
      onRemoved={onDeleted}
    >
      <p>
        Calls of tools that need <InertText text={item.name} mono /> are refused until it is set again. This cannot be taken back.
      </p>
    </RemovalDialog>
  );
}
