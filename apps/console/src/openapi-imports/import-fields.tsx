import { useState } from 'preact/hooks';
import { DropZone } from '../elements/drop-zone.js';
import { Select, TextArea, TextField } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import type { ImportFields as Form } from './import-request.js';
import { readDocument } from './read-document.js';

interface ImportFieldsProps {
  form: Form;
  onChange: (fields: Partial<Form>) => void;
  /** Errors by JSON Pointer. */
  at: Readonly<Record<string, string>>;
  /** The document was imported before: empty options stay as they were. */
  is_again: boolean;
}

/** What is imported, and how. */
export function ImportFields({ form, onChange, at, is_again }: ImportFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        hint="Begins the names of its tools and secrets: shop makes shop__create_order and shop.token"
        mono
        value={form.name}
        onValue={(name) => onChange({ name })}
        error={at['/name']}
        characters_max={16}
      />
      <Select
        label="The document is"
        value={form.source}
        onValue={(source) => onChange({ source: source as Form['source'] })}
        options={[
          ['file', 'a file of this computer'],
          ['url', 'at an address, which the gateway fetches'],
        ]}
      />
      {form.source === 'file' ? (
        <FileField form={form} onChange={onChange} error={at['/document']} />
      ) : (
        <TextField
          label="Address"
          hint="https; hosts of private networks only if the installation allows them"
          mono
          placeholder="https://api.example.com/openapi.json"
          value={form.url}
          onValue={(url) => onChange({ url })}
          error={at['/url'] ?? at['/document']}
          characters_max={2000}
        />
      )}
      <details class="import-options" open={OPTIONS.some((pointer) => at[pointer] !== undefined) || undefined}>
        <summary>Server, credentials, which operations</summary>
        <div class="stack">
          {is_again && <p class="soft">What you leave empty stays as in the import before.</p>}
          <ServerFields form={form} onChange={onChange} at={at} />
          <OperationFields form={form} onChange={onChange} at={at} />
        </div>
      </details>
    </>
  );
}

const OPTIONS = ['/base_url', '/server_variables', '/security_scheme', '/auth', '/only', '/operations'];

function FileField({ form: { document }, onChange, error }: Pick<ImportFieldsProps, 'form' | 'onChange'> & { error: string | undefined }) {
  const [fault, setFault] = useState<string>();
  const take = async (file: File) => {
    const read = await readDocument(file);
    setFault('fault' in read ? read.fault : undefined);
    onChange({ document: 'fault' in read ? undefined : read });
  };
  const shown = fault ?? error;
  return (
    <div class="stack-tight">
      <DropZone label="OpenAPI document" accept=".json,.yaml,.yml,application/json,application/yaml" onFile={take}>
        Drop an OpenAPI document here. <span class="soft">3.0 or 3.1, JSON or YAML, at most 16 MB.</span>
      </DropZone>
      {document && (
        <p role="status">
          <InertText text={document.name} characters_max={120} mono /> <span class="soft">{document.bytes.toLocaleString('en')} bytes</span>
        </p>
      )}
      {shown && (
        <p class="field-error" role="alert">
          {shown}
        </p>
      )}
    </div>
  );
}

type PartProps = Omit<ImportFieldsProps, 'is_again'>;

const AUTH = [
  ['', 'as the document says'],
  ['bearer', 'a bearer token'],
  ['basic', 'user and password'],
  ['header', 'a header'],
  ['query', 'a query parameter'],
  ['cookie', 'a cookie'],
] as const;

function ServerFields({ form, onChange, at }: PartProps) {
  return (
    <>
      <TextField
        label="Server"
        hint="Instead of the servers of the document"
        mono
        value={form.base_url}
        onValue={(base_url) => onChange({ base_url })}
        error={at['/base_url']}
        characters_max={2000}
      />
      <TextArea
        label="Variables of the server address"
        hint="A line for each: name = value"
        mono
        rows={2}
        value={form.server_variables}
        onValue={(server_variables) => onChange({ server_variables })}
        error={at['/server_variables']}
      />
      <TextField
        label="Security scheme"
        hint="Which one to use where the document offers several"
        mono
        value={form.security_scheme}
        onValue={(security_scheme) => onChange({ security_scheme })}
        error={at['/security_scheme']}
        characters_max={100}
      />
      <Select label="Credential" value={form.auth_as} onValue={(auth_as) => onChange({ auth_as })} options={AUTH} error={at['/auth']} />
      {form.auth_as !== '' && (
        <div class="import-columns">
          {!['bearer', 'basic'].includes(form.auth_as) && (
            <TextField label="Its name" mono value={form.auth_name} onValue={(auth_name) => onChange({ auth_name })} characters_max={64} />
          )}
          <TextField
            label="Name of the secret"
            hint="After the name of the import and a point; never the value"
            mono
            placeholder="credential"
            value={form.auth_secret}
            onValue={(auth_secret) => onChange({ auth_secret })}
            characters_max={64}
          />
        </div>
      )}
    </>
  );
}

function OperationFields({ form, onChange, at }: PartProps) {
  return (
    <>
      <TextArea
        label="Only these operations"
        hint="A line for each: an operationId, GET /orders, or tag:Orders. Empty: all"
        mono
        value={form.only}
        onValue={(only) => onChange({ only })}
        error={at['/only']}
      />
      <TextArea
        label="Declared of single operations"
        hint="JSON: operationId or POST /orders → effect_class, discriminating, idempotency_header, reconcile, compensation and others"
        placeholder={'{"createOrder": {"effect_class": "commit_low", "discriminating": ["reference"]}}'}
        mono
        rows={5}
        value={form.operations}
        onValue={(operations) => onChange({ operations })}
        error={at['/operations']}
      />
    </>
  );
}
