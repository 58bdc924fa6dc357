import { useId } from 'preact/hooks';
import './settings.css';

interface CheckGroupProps {
  label: string;
  options: readonly string[];
  chosen: readonly string[];
  onChosen: (chosen: string[]) => void;
  error?: string | undefined;
}

/** Several of a few options. */
export function CheckGroup({ label, options, chosen, onChosen, error }: CheckGroupProps) {
  const id = useId();
  const toggle = (option: string) =>
    onChosen(options.filter((each) => (each === option ? !chosen.includes(option) : chosen.includes(each))));
  return (
    <fieldset class="settings-checks" aria-describedby={error ? `${id}-error` : undefined}>
      <legend>{label}</legend>
      <div class="settings-checks-list">
        {options.map((option) => (
          <label key={option} class="settings-check">
            <input type="checkbox" checked={chosen.includes(option)} onChange={() => toggle(option)} /> {option}
          </label>
        ))}
      </div>
      {error && (
        <p id={`${id}-error`} class="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
