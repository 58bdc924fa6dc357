import { Icon } from '../elements/icon.js';
import { InertText } from '../elements/inert.js';
import './lists.css';

interface ChipProps {
  label?: string;
  text: string;
  onRemove: () => void;
}

/** One thing that is set, with a button that removes it. */
export function Chip({ label, text, onRemove }: ChipProps) {
  return (
    <li class="chip">
      {label && <span class="faint">{label}</span>}
      <InertText text={text} characters_max={120} />
      <button type="button" class="chip-remove" aria-label={`Remove ${label ?? ''} ${text.slice(0, 80)}`} onClick={onRemove}>
        <Icon name="close" size={12} />
      </button>
    </li>
  );
}
