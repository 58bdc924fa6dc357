import { useMemo, useState } from 'preact/hooks';
import { FormContext } from './form-context.js';
import { placedIssues } from './place-issues.js';
import { JsonInput } from './scalar-fields.js';
import { SchemaField } from './schema-field.js';
import type { SchemaFormState } from './use-schema-form.js';
import './schema-form.css';

interface SchemaFormProps {
  form: SchemaFormState;
  is_disabled?: boolean;
}

/** A form made from a JSON Schema, with the same value as JSON behind a switch. The schema and its texts are not trusted. */
export function SchemaForm({ form: { schema, value, issues, onValue }, is_disabled = false }: SchemaFormProps) {
  const [is_json, setJson] = useState(false);
  const placed = useMemo(
    () =>
      is_json ? new Map([['', issues.map(({ path, message }) => `${path || '/'}: ${message}`)]]) : placedIssues(schema, value, issues),
    [schema, value, issues, is_json],
  );
  const field = { pointer: '', name: undefined, schema, value, onValue, is_required: true, depth: 0 };
  return (
    <FormContext.Provider value={{ root: schema, issues: placed, is_disabled, Field: SchemaField }}>
      <div class="form">
        <div class="form-switch">
          <button type="button" class="text-button" aria-pressed={is_json} onClick={() => setJson(!is_json)}>
            {is_json ? 'Show as a form' : 'Write as JSON'}
          </button>
        </div>
        {is_json ? <JsonInput field={field} node={{ kind: 'json', schema: {}, reason: 'all inputs' }} /> : <SchemaField {...field} />}
      </div>
    </FormContext.Provider>
  );
}
