import { useId } from 'preact/hooks';
import './check-group.css';
import { InertText } from './inert.js';

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
    <fieldset class="check-group" aria-describedby={error ? `${id}-error` : undefined}>
      <legend>{label}</legend>
      <div class="check-list">
        {options.map((option) => (
          <label key={option} class="check">
            <input type="checkbox" checked={chosen.includes(option)} onChange={() => toggle(option)} />{' '}
            <InertText text={option} characters_max={80} />
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
