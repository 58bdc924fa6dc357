import { useState } from 'preact/hooks';
import { CheckGroup } from '../elements/check-group.js';
import { Select, TextField } from '../elements/field.js';
import { FormDialog } from '../forms/form-dialog.js';
import { placedErrors } from '../forms/placed-errors.js';
import { useChange } from '../forms/use-change.js';
import { EMPTY_KEY, KEY_FIELDS, KINDS, keyRequest, ROLES } from './key-request.js';
import { ShownOnce } from './shown-once.js';

const EXPIRIES = [
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['', 'Never'],
] as const;

/** Creates a key, and shows it once. */
export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState(EMPTY_KEY);
  const [key, setKey] = useState<string>();
  const created = useChange((api, body: ReturnType<typeof keyRequest>) => api.POST('/v1/keys', { body }));
  const { at, rest } = placedErrors(created.problem, KEY_FIELDS);
  const change = (fields: Partial<typeof form>) => setForm({ ...form, ...fields });
  const submit = async () => {
    const answer = await created.run(keyRequest(form, Date.now()));
    if (answer.ok) setKey(answer.data.key);
  };
  if (key !== undefined)
    return (
      <ShownOnce
        title="Your new key"
        about={`Give it to ${form.id.trim()}. It acts with the roles that you chose.`}
        value={key}
        onClose={onClose}
      />
    );
  return (
    <FormDialog title="Create a key" action="Create" is_pending={created.is_pending} problem={rest} onSubmit={submit} onClose={onClose}>
      <TextField label="Name" hint="What the key is for" value={form.name} onValue={(name) => change({ name })} error={at['/name']} />
      <Select
        label="For"
        value={form.kind}
        onValue={(kind) => change({ kind: kind as typeof form.kind })}
        options={KINDS.map((kind) => [kind, { user: 'A person', agent: 'An agent', service: 'A service' }[kind]])}
        error={at['/principal/kind']}
      />
      <TextField
        label="Id"
        hint="Of the person, agent or service: stands in the audit trail"
        value={form.id}
        onValue={(id) => change({ id })}
        error={at['/principal/id']}
        characters_max={200}
      />
      {form.kind === 'agent' && (
        <TextField
          label="Owner"
          hint="Id of the person who is responsible for the agent; that person cannot approve its calls"
          value={form.owner}
          onValue={(owner) => change({ owner })}
          error={at['/owner']}
        />
      )}
      <CheckGroup
        label="Roles"
        options={ROLES}
        chosen={form.roles}
        onChosen={(roles) => change({ roles })}
        error={at['/principal/roles']}
      />
      <Select label="Expires" value={form.days} onValue={(days) => change({ days })} options={EXPIRIES} error={at['/expires_at']} />
    </FormDialog>
  );
}
