import { useState } from 'preact/hooks';
import { Dialog } from '../elements/dialog.js';
import { Icon } from '../elements/icon.js';
import type { Session } from '../gateway/session.js';
import { Link } from '../navigation/link.js';
import { usePlace } from '../navigation/navigation.js';
import { AccountMenu } from './account-menu.js';
import { isBelow, navigationEntries } from './navigation-entries.js';
import { NavigationList } from './navigation-list.js';

/** As many as a thumb reaches at 390 px, beside the menu. */
const SHOWN = 4;

/** The first screens of a person on a phone; the menu has all. */
export function BottomBar({ session }: { session: Session }) {
  const { path } = usePlace();
  const [is_open, setOpen] = useState(false);
  return (
    <div class="bottom-bar">
      <nav class="bottom-bar-links" aria-label="Main screens">
        {navigationEntries(session)
          .slice(0, SHOWN)
          .map((entry) => (
            <Link key={entry.path} href={entry.path} class="bottom-link" aria-current={isBelow(path, entry.path) ? 'page' : undefined}>
              <Icon name={entry.navigation.icon} size={20} />
              {entry.title}
            </Link>
          ))}
      </nav>
      <button type="button" class="bottom-link" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="menu" size={20} />
        Menu
      </button>
      {is_open && (
        <Dialog title="Menu" onClose={() => setOpen(false)}>
          <NavigationList session={session} onFollow={() => setOpen(false)} />
          <AccountMenu session={session} />
        </Dialog>
      )}
    </div>
  );
}
