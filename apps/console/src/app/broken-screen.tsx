import { Button } from '../elements/button.js';
import { Screen } from '../elements/screen.js';
import { EmptyState } from '../elements/states.js';

/** A screen that could not be loaded (the console was updated, or there is no connection) or failed while it was drawn. */
export function BrokenScreen({ fault, is_load, retry }: { fault: unknown; is_load: boolean; retry: () => void }) {
  const message = fault instanceof Error ? fault.message : String(fault);
  return (
    <Screen title={is_load ? 'This page could not be loaded' : 'This page has failed'}>
      <EmptyState icon="warning" title={is_load ? 'The console may have been updated' : 'The console has a fault here'}>
        <p>
          {is_load
            ? 'Reload to get the present version. Drafts in this tab are kept.'
            : 'The other pages work. Drafts in this tab are kept.'}
        </p>
        <p class="faint">
          <code>{message.slice(0, 300)}</code>
        </p>
        <div class="row broken-actions">
          <Button look="primary" onClick={() => window.location.reload()}>
            Reload
          </Button>
          {!is_load && <Button onClick={retry}>Try again</Button>}
        </div>
      </EmptyState>
    </Screen>
  );
}
