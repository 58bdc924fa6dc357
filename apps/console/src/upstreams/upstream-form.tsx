import { useState } from 'preact/hooks';
import { Select, TextArea, TextField } from '../elements/field.js';
import { Notice } from '../elements/notice.js';
import { focusFirstError } from '../forms/focus-first-error.js';
import { FormDialog } from '../forms/form-dialog.js';
import { placedErrors } from '../forms/placed-errors.js';
import { useChange } from '../forms/use-change.js';
import { useQuery } from '../gateway/use-query.js';
import type { Upstream } from './upstream.js';
import {
  EMPTY_UPSTREAM,
  isMoved,
  UPSTREAM_FIELDS,
  type UpstreamBody,
  type UpstreamFields,
  upstreamFieldsOf,
  upstreamRequest,
} from './upstream-request.js';

const NAME = /^[a-z][a-z0-9]{0,15}$/;
const NAME_RULE = 'Lower case letters and digits, a letter first, at most 16: the names of its tools begin with it';

interface UpstreamFormProps {
  /** The upstream that is changed; absent: a new one. */
  shown?: Upstream;
  onClose: () => void;
  onSet?: (name: string) => void;
}

/** Sets an upstream: a new one, or one that exists. */
export function UpstreamForm({ shown, onClose, onSet }: UpstreamFormProps) {
  // as it was when the form was opened: the ETag makes the gateway refuse it if another change came first
  const [before] = useState(shown);
  const [form, setForm] = useState<UpstreamFields>(() => (before ? upstreamFieldsOf(before) : EMPTY_UPSTREAM));
  const [is_wrong, setWrong] = useState(false);
  const set = useChange((api, { name, body }: { name: string; body: UpstreamBody }) =>
    api.PUT('/v1/upstreams/{name}', {
      params: { path: { name }, header: before ? { 'If-Match': before.etag } : { 'If-None-Match': '*' } },
      body,
    }),
  );
  const { at, rest } = placedErrors(set.problem, UPSTREAM_FIELDS);
  const exists = !before && rest?.status === 412;
  const submit = async () => {
    const name = form.name.trim();
    setWrong(!NAME.test(name));
    if (!NAME.test(name) || !(await set.run({ name, body: upstreamRequest(form) })).ok) return focusFirstError();
    onClose();
    onSet?.(name);
  };
  const name_error = is_wrong
    ? `${NAME_RULE}.`
    : exists
      ? 'An upstream with this name exists: choose another name, or change that one'
      : undefined;
  return (
    <FormDialog
      title={before ? 'Change the upstream' : 'Add an upstream'}
      action={before ? 'Save' : 'Add'}
      is_pending={set.is_pending}
      problem={exists ? undefined : rest}
      onSubmit={submit}
      onClose={onClose}
    >
      {!before && (
        <TextField
          label="Name"
          hint={NAME_RULE}
          mono
          value={form.name}
          onValue={(name) => setForm({ ...form, name })}
          error={name_error ?? at['/name']}
          characters_max={16}
        />
      )}
      <PlaceFields form={form} onChange={setForm} at={at} />
      {before && isMoved(form, before) && (
        <Notice tone="warn" title="This is another server.">
          All its tools are suspended until an operator classifies them again: what was declared of them was declared of the former one.
        </Notice>
      )}
    </FormDialog>
  );
}

interface PlaceFieldsProps {
  form: UpstreamFields;
  onChange: (form: UpstreamFields) => void;
  /** Errors by JSON Pointer. */
  at: Readonly<Record<string, string>>;
}

function PlaceFields({ form, onChange, at }: PlaceFieldsProps) {
  const is_url = form.kind === 'url';
  return (
    <>
      <Select
        label="It is"
        value={form.kind}
        onValue={(kind) => onChange({ ...form, kind: kind as UpstreamFields['kind'] })}
        options={[
          ['url', 'at an address (Streamable HTTP)'],
          ['command', 'a command of this installation'],
        ]}
      />
      {is_url ? (
        <TextField
          label="Address"
          mono
          placeholder="https://mcp.example.com/mcp"
          value={form.url}
          onValue={(url) => onChange({ ...form, url })}
          error={at['/url']}
          characters_max={2000}
        />
      ) : (
        <CommandField form={form} onChange={onChange} at={at} />
      )}
      <TextArea
        label="Credentials"
        hint={
          is_url
            ? 'The name of a secret, whose value is sent as bearer token. Never the value itself.'
            : 'A line for each: name of a secret = environment variable. Never the value itself.'
        }
        placeholder={is_url ? 'FilesToken' : 'FilesToken = FILES_TOKEN'}
        mono
        rows={2}
        value={form.credentials}
        onValue={(credentials) => onChange({ ...form, credentials })}
        error={at['/credentials']}
      />
      <TextField
        label="Timeout of a request"
        hint="Seconds, 1 to 300"
        type="number"
        value={form.timeout_s}
        onValue={(timeout_s) => onChange({ ...form, timeout_s })}
        error={at['/timeout_ms']}
      />
    </>
  );
}

/** Names only: the arguments of commands belong to the installation. */
function CommandField({ form, onChange, at }: PlaceFieldsProps) {
  const { data, problem } = useQuery({
    kind: 'other',
    key: ['upstream-commands'],
    read: (api, signal) => api.GET('/v1/upstream-commands', { signal }),
  });
  const names = data?.items.map(({ name }) => name) ?? [];
  const shown = form.command === '' || names.includes(form.command) ? names : [form.command, ...names];
  const none = data && names.length === 0 ? 'This installation has no commands (COUNTERSIGN_UPSTREAM_COMMANDS).' : undefined;
  return (
    <Select
      label="Command"
      hint={none ?? 'Commands come from the installation alone; their arguments cannot be changed here.'}
      value={form.command}
      onValue={(command) => onChange({ ...form, command })}
      options={[['', 'Choose a command'], ...shown.map((name) => [name, name] as const)]}
      error={at['/command'] ?? problem?.detail}
    />
  );
}
