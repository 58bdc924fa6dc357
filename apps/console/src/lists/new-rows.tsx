import { Icon } from '../elements/icon.js';
import './lists.css';

/** Says that there are new rows, and shows them when a person asks for them. */
export function NewRows({ count, show }: { count: number; show: () => void }) {
  return (
    <div class="new-rows" role="status">
      {count > 0 && (
        <button type="button" class="new-rows-button" onClick={show}>
          <Icon name="refresh" size={14} />
          {count} new
        </button>
      )}
    </div>
  );
}
