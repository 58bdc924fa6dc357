import { useMemo, useState } from 'preact/hooks';
import { type Issue, issuesOf } from './check-value.js';
import { initialValue } from './initial-value.js';
import { type Schema, schemaOf } from './schema.js';

/** A value that is edited by its schema. */
export interface SchemaFormState {
  schema: Schema;
  value: unknown;
  issues: readonly Issue[];
  onValue: (value: unknown) => void;
  /** The value if the form finds nothing wrong with it; otherwise the form shows what is. */
  checked: () => { value: unknown } | undefined;
  /** Shows what the gateway found: pointers are relative to the value. */
  refused: (issues: readonly Issue[]) => void;
}

/** The state of a `SchemaForm`. `initial`: what is edited; without it the form begins with the defaults of the schema. */
export function useSchemaForm(raw: unknown, initial?: unknown): SchemaFormState {
  const schema = useMemo(() => schemaOf(raw), [raw]);
  const [value, setValue] = useState(() => (initial === undefined ? initialValue(schema, schema) : initial));
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  return {
    schema,
    value,
    issues,
    onValue: (next) => {
      setValue(next);
      setIssues([]);
    },
    checked: () => {
      const found = issuesOf(schema, value, schema);
      setIssues(found);
      return found.length === 0 ? { value: value ?? {} } : undefined;
    },
    refused: setIssues,
  };
}
