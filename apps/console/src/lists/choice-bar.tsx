import type { ComponentChildren } from 'preact';
import './lists.css';

/** Buttons that belong together, of which some are pressed. */
export function ChoiceBar({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <fieldset class="presets">
      <legend class="visually-hidden">{label}</legend>
      {children}
    </fieldset>
  );
}

export function ChoiceButton({ is_pressed, onPress, children }: { is_pressed: boolean; onPress: () => void; children: string }) {
  return (
    <button type="button" class="preset" aria-pressed={is_pressed} onClick={onPress}>
      {children}
    </button>
  );
}
