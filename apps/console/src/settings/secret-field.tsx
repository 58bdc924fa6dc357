import { Field } from '../elements/field.js';

interface SecretFieldProps {
  label: string;
  hint: string;
  error: string | undefined;
  onValue: (value: string) => void;
  value: string;
}

/** A value that is not to be read on the screen; the browser is asked not to keep it. */
export function SecretField({ label, hint, error, value, onValue }: SecretFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          class="input mono"
          type="password"
          value={value}
          autocomplete="new-password"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
