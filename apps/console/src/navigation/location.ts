/** Where the browser is: path and query of the address. */
export interface Place {
  path: string;
  query: string;
  /** Rises with each navigation to another path, so that a screen can tell a new visit from a new filter. */
  visit: number;
}

type Listener = (place: Place) => void;

/** The address of the page, kept in the history of the browser. */
export class Location {
  private place: Place;
  private readonly listeners = new Set<Listener>();

  constructor(private readonly window: Window) {
    this.place = { ...placeOf(window.location), visit: 0 };
    window.addEventListener('popstate', () => this.move(placeOf(window.location)));
  }

  get current(): Place {
    return this.place;
  }

  /** Goes to a path of the console with its query. `replace` leaves no entry to come back to: for filters and tabs. */
  go(target: string, { replace = false }: { replace?: boolean } = {}): void {
    const url = new URL(target, this.window.location.href);
    if (url.origin !== this.window.location.origin) return;
    if (replace) this.window.history.replaceState(null, '', url);
    else this.window.history.pushState(null, '', url);
    const was = this.place.path;
    this.move(placeOf(url));
    if (this.place.path !== was) this.window.scrollTo(0, 0);
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private move(to: Omit<Place, 'visit'>): void {
    this.place = { ...to, visit: this.place.visit + (to.path === this.place.path ? 0 : 1) };
    for (const listener of [...this.listeners]) listener(this.place);
  }
}

/** The path without a slash at its end, and the query. */
export function placeOf({ pathname, search }: { pathname: string; search: string }): Omit<Place, 'visit'> {
  const path = pathname.replace(/\/+$/, '');
  return { path: path === '' ? '/' : path, query: search };
}
