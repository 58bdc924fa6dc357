import type { ComponentChildren } from 'preact';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import type { Problem } from '../gateway/answer.js';
import { useSession } from '../gateway/context.js';
import { hasRole } from '../gateway/session.js';

/** What a panel knows of its list. */
interface ReadList<T> {
  items: readonly T[] | undefined;
  problem: Problem | undefined;
  is_loading: boolean;
  refresh: () => void;
}

interface ListPanelProps<T> {
  /** Its address on the page: `#dead-letters`. */
  id: string;
  title: string;
  /** What it shows, and why that matters. */
  about: string;
  /** Who may read it; absent: everyone. */
  roles?: readonly string[];
  list: ReadList<T>;
  /** What an empty list means. */
  empty: string;
  actions?: ComponentChildren;
  children: (items: readonly T[]) => ComponentChildren;
}

/** A part of the page that shows a list: loading, refused, empty, or its items. */
export function ListPanel<T>({ id, title, about, actions, ...shown }: ListPanelProps<T>) {
  return (
    <section class="health-panel" id={id} aria-labelledby={`${id}-title`}>
      <header class="row row-spread">
        <div>
          <h2 id={`${id}-title`}>{title}</h2>
          <p class="soft">{about}</p>
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      <ListContent {...shown} />
    </section>
  );
}

function ListContent<T>({ roles, list, empty, children }: Pick<ListPanelProps<T>, 'roles' | 'list' | 'empty' | 'children'>) {
  const session = useSession();
  const { items, problem, is_loading, refresh } = list;
  if (!hasRole(session, roles))
    return <p class="health-note">Your roles do not show this: it needs {roles?.map((role) => `“${role}”`).join(' or ')}.</p>;
  if (is_loading) return <Skeleton lines={2} />;
  if (!items) return problem ? <ErrorState problem={problem} retry={refresh} /> : null;
  if (items.length === 0)
    return (
      <div class="health-empty">
        <EmptyState icon="check" title={empty} />
      </div>
    );
  return <>{children(items)}</>;
}
