import { Icon } from '../elements/icon.js';
import type { Session } from '../gateway/session.js';
import { Link } from '../navigation/link.js';
import { usePlace } from '../navigation/navigation.js';
import { isBelow, navigationGroups } from './navigation-entries.js';

/** All screens of this person by group. */
export function NavigationList({ session, onFollow }: { session: Session; onFollow?: () => void }) {
  const { path } = usePlace();
  return (
    <nav class="navigation" aria-label="Screens">
      {navigationGroups(session).map(({ group, entries }, at) => (
        <div key={group} class="navigation-group">
          {at > 0 && <h2 class="navigation-heading">{group}</h2>}
          <ul>
            {entries.map((entry) => (
              <li key={entry.path}>
                <Link
                  href={entry.path}
                  class="navigation-link"
                  aria-current={isBelow(path, entry.path) ? 'page' : undefined}
                  onFollow={onFollow}
                >
                  <Icon name={entry.navigation.icon} />
                  {entry.title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
