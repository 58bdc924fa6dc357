import { useState } from 'preact/hooks';
import { Field, TextField } from '../elements/field.js';
import { FormDialog } from '../forms/form-dialog.js';
import { placedErrors } from '../forms/placed-errors.js';
import { useChange } from '../forms/use-change.js';
import { DELEGATION_FIELDS, delegationRequest, EMPTY_DELEGATION } from './delegation-request.js';

/** Delegates the votes of the person who is signed in. */
export function DelegateForm({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState(EMPTY_DELEGATION);
  const change = (fields: Partial<typeof form>) => setForm({ ...form, ...fields });
  const made = useChange((api, body: ReturnType<typeof delegationRequest>) => api.POST('/v1/vote-delegations', { body }));
  const { at, rest } = placedErrors(made.problem, DELEGATION_FIELDS);
  const submit = async () => {
    if ((await made.run(delegationRequest(form))).ok) onClose();
  };
  return (
    <FormDialog
      title="Delegate your votes"
      action="Delegate"
      is_pending={made.is_pending}
      problem={rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="To"
        hint="Id of the person who votes instead of you, with the roles that you have then"
        value={form.to}
        onValue={(to) => change({ to })}
        error={at['/to']}
        characters_max={200}
      />
      <TimeField label="From" hint="Empty: now" value={form.starts} onValue={(starts) => change({ starts })} error={at['/starts_at']} />
      <TimeField label="Until" hint="In your local time" value={form.ends} onValue={(ends) => change({ ends })} error={at['/expires_at']} />
      <TextField
        label="Tools"
        hint="Names with commas between them; empty: all tools"
        mono
        value={form.tools}
        onValue={(tools) => change({ tools })}
        error={at['/tools']}
      />
      <TextField label="Reason" value={form.reason} onValue={(reason) => change({ reason })} error={at['/reason']} characters_max={500} />
    </FormDialog>
  );
}

interface TimeFieldProps {
  label: string;
  hint: string;
  value: string;
  onValue: (value: string) => void;
  error: string | undefined;
}

function TimeField({ value, onValue, ...field }: TimeFieldProps) {
  return (
    <Field {...field}>
      {(control) => (
        <input {...control} class="input" type="datetime-local" value={value} onInput={(event) => onValue(event.currentTarget.value)} />
      )}
    </Field>
  );
}
