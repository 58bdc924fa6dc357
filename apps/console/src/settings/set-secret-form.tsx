import { useState } from 'preact/hooks';
import { Select, TextField } from '../elements/field.js';
import { useToast } from '../elements/toast.js';
import { FormDialog } from '../forms/form-dialog.js';
import { placedErrors } from '../forms/placed-errors.js';
import { useChange } from '../forms/use-change.js';
import { useSession } from '../gateway/context.js';
import { secretRefusal } from './permission.js';
import { SecretField } from './secret-field.js';
import { SCOPE_OPTIONS } from './secret-scopes.js';

/** Creates a secret. One that exists is not overwritten: rotate it. */
export function SetSecretForm({ onClose }: { onClose: () => void }) {
  const toast = useToast();
  const session = useSession();
  const [form, setForm] = useState({ scope: 'user', name: '', value: '' });
  const [missing, setMissing] = useState<string>();
  const change = (fields: Partial<typeof form>) => setForm({ ...form, ...fields });
  const set = useChange((api, { scope, name, value }: typeof form) =>
    api.PUT('/v1/secrets/{scope}/{name}', {
      params: { path: { scope, name }, header: { 'If-None-Match': '*' } },
      body: { value },
    }),
  );
  const { at, rest } = placedErrors(set.problem, ['/value']);
  const exists = rest?.status === 412;
  const submit = async () => {
    const name = form.name.trim();
    setMissing(name === '' ? 'Enter the name that the contract of the tool uses' : undefined);
    if (name === '' || !(await set.run({ ...form, name })).ok) return;
    toast({ tone: 'good', text: 'The secret is set' });
    onClose();
  };
  return (
    <FormDialog
      title="Set a secret"
      action="Set"
      is_pending={set.is_pending}
      problem={exists ? undefined : rest}
      refused={secretRefusal(session, form)}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select label="For" value={form.scope} onValue={(scope) => change({ scope })} options={SCOPE_OPTIONS} />
      <TextField
        label="Name"
        hint="Letters, digits, _ . -"
        mono
        value={form.name}
        onValue={(name) => change({ name })}
        error={missing ?? (exists ? 'A secret of this name exists: close this form and rotate it' : undefined)}
        characters_max={128}
      />
      <SecretField
        label="Value"
        hint="At least 8 characters. It cannot be read again."
        value={form.value}
        onValue={(value) => change({ value })}
        error={at['/value']}
      />
    </FormDialog>
  );
}
