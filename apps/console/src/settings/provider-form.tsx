import { useState } from 'preact/hooks';
import { TextArea, TextField } from '../elements/field.js';
import { FormDialog } from '../forms/form-dialog.js';
import { placedErrors } from '../forms/placed-errors.js';
import { useChange } from '../forms/use-change.js';
import { EMPTY_PROVIDER, PROVIDER_FIELDS, type Provider, type ProviderForm, providerFormOf, providerRequest } from './provider-request.js';

/** Sets an identity provider: a new one, or one that exists. */
export function SetProviderForm({ shown, onClose }: { shown?: Provider; onClose: () => void }) {
  // as it was when the form was opened: a change that somebody made meanwhile is not lost
  const [before] = useState(shown);
  const [form, setForm] = useState<ProviderForm>(() => (before ? providerFormOf(before) : EMPTY_PROVIDER));
  const [missing, setMissing] = useState<string>();
  const set = useChange((api, { provider_id, ...body }: { provider_id: string } & ReturnType<typeof providerRequest>) =>
    api.PUT('/v1/identity-providers/{provider_id}', {
      params: { path: { provider_id }, header: before ? { 'If-Match': before.etag } : { 'If-None-Match': '*' } },
      body,
    }),
  );
  const { at, rest } = placedErrors(set.problem, PROVIDER_FIELDS);
  const exists = !before && rest?.status === 412;
  const submit = async () => {
    const provider_id = form.provider_id.trim();
    setMissing(provider_id === '' ? 'Enter an id, such as corporate' : undefined);
    if (provider_id !== '' && (await set.run({ provider_id, ...providerRequest(form, before) })).ok) onClose();
  };
  return (
    <FormDialog
      title={before ? 'Change the provider' : 'Add an identity provider'}
      action={before ? 'Save' : 'Add'}
      is_pending={set.is_pending}
      problem={exists ? undefined : rest}
      onSubmit={submit}
      onClose={onClose}
    >
      {!before && (
        <TextField
          label="Id"
          mono
          value={form.provider_id}
          onValue={(provider_id) => setForm({ ...form, provider_id })}
          error={missing ?? (exists ? 'A provider with this id exists: choose another id, or change that one' : undefined)}
          characters_max={100}
        />
      )}
      <TokenFields form={form} onChange={setForm} at={at} />
      <SignInFields form={form} onChange={setForm} at={at} />
    </FormDialog>
  );
}

interface PartProps {
  form: ProviderForm;
  onChange: (form: ProviderForm) => void;
  at: Readonly<Record<string, string>>;
}

function TokenFields({ form, onChange, at }: PartProps) {
  return (
    <>
      <TextField
        label="Issuer"
        hint="As it stands in its tokens"
        placeholder="https://login.example.org"
        mono
        value={form.issuer}
        onValue={(issuer) => onChange({ ...form, issuer })}
        error={at['/issuer']}
      />
      <TextField
        label="Audiences"
        hint="With commas between them; a token must have one"
        mono
        value={form.audiences}
        onValue={(audiences) => onChange({ ...form, audiences })}
        error={at['/audiences']}
      />
      <TextField
        label="Claim with the roles"
        mono
        value={form.roles_claim}
        onValue={(roles_claim) => onChange({ ...form, roles_claim })}
        error={at['/roles_claim']}
      />
      <TextArea
        label="Roles of its values"
        hint="A line for each: value = role"
        placeholder="finance-leads = approver"
        mono
        value={form.role_mappings}
        onValue={(role_mappings) => onChange({ ...form, role_mappings })}
        error={at['/role_mappings']}
      />
    </>
  );
}

function SignInFields({ form, onChange, at }: PartProps) {
  return (
    <>
      <h3>Sign-in to this console</h3>
      <TextField
        label="Name on the button"
        hint="Leave these three empty if people do not sign in with it"
        value={form.sign_in_name}
        onValue={(sign_in_name) => onChange({ ...form, sign_in_name })}
        error={at['/sign_in/name']}
        characters_max={100}
      />
      <TextField
        label="Client id"
        mono
        value={form.client_id}
        onValue={(client_id) => onChange({ ...form, client_id })}
        error={at['/sign_in/client_id']}
        characters_max={200}
      />
      <TextField
        label="Name of the client's secret"
        hint="A secret of the tab Secrets, of this tenant; empty: a public client"
        mono
        value={form.client_secret}
        onValue={(client_secret) => onChange({ ...form, client_secret })}
        error={at['/sign_in/client_secret']}
        characters_max={128}
      />
    </>
  );
}
