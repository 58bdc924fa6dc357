import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** What a labelled control needs: its id, and the ids of what describes it. */
export interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

interface FieldProps {
  label: string;
  /** One line that says what belongs here. */
  hint?: ComponentChildren;
  /** What is wrong with the present value, and what would be right. */
  error?: string | undefined;
  children: (control: ControlProps) => ComponentChildren;
}

/** A label with a control, its hint and its error. The other fields of this file are made of it. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [...(hint ? [`${id}-hint`] : []), ...(error ? [`${id}-error`] : [])].join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} class="field-hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} class="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

interface TextProps extends Omit<FieldProps, 'children'> {
  value: string;
  onValue: (value: string) => void;
  placeholder?: string;
  required?: boolean;
  mono?: boolean;
  characters_max?: number;
}

export function TextField({
  value,
  onValue,
  placeholder,
  required,
  mono,
  characters_max,
  type = 'text',
  ...field
}: TextProps & { type?: 'text' | 'number' | 'search' }) {
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          class={`input ${mono ? 'mono' : ''}`}
          type={type}
          value={value}
          placeholder={placeholder}
          required={required}
          maxLength={characters_max}
          list={undefined}
          autocomplete="off"
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function TextArea({
  value,
  onValue,
  placeholder,
  required,
  mono,
  characters_max,
  rows = 3,
  ...field
}: TextProps & { rows?: number }) {
  return (
    <Field {...field}>
      {(control) => (
        <textarea
          {...control}
          class={`input ${mono ? 'mono' : ''}`}
          rows={rows}
          value={value}
          placeholder={placeholder}
          required={required}
          maxLength={characters_max}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface SelectProps extends Omit<FieldProps, 'children'> {
  value: string;
  onValue: (value: string) => void;
  /** `[value, label]` */
  options: readonly (readonly [string, string])[];
}

export function Select({ value, onValue, options, ...field }: SelectProps) {
  return (
    <Field {...field}>
      {(control) => (
        <select {...control} class="input" value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
