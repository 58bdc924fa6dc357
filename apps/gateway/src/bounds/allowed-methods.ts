interface Pattern {
  segments: readonly string[];
  methods: readonly string[];
}

const ANY = ':';
const REST = '*';

/** Splits a route pattern of the router: `:name` matches one segment, `*` the rest, `::` is a literal colon. */
function segmentsOf(route: string): string[] {
  return route.split('/').map((segment) => {
    if (segment === REST) return REST;
    return segment.startsWith(':') && !segment.startsWith('::') ? ANY : segment.replaceAll('::', ':');
  });
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  const open = pattern.at(-1) === REST;
  if (open ? path.length < pattern.length : path.length !== pattern.length) return false;
  return pattern.every((segment, at) => segment === REST || (segment === ANY ? path[at] !== '' : segment === path[at]));
}

const rankOf = (segment: string): number => (segment === REST ? 0 : segment === ANY ? 1 : 2);

/** Positive: `a` is the more specific one. The router compares from the left, too. */
function compared(a: Pattern, b: Pattern): number {
  for (const [at, segment] of a.segments.entries()) {
    const difference = rankOf(segment) - rankOf(b.segments[at] ?? REST);
    if (difference !== 0) return difference;
  }
  return 0;
}

const partsOf = (path: string): string[] => path.split('/').map(decoded);

/**
 * The allowed methods of a path, for the Allow header. A path belongs to its most specific pattern alone; the router looks for one by
 * method and would serve `GET /calls/votes` as `/calls/:id` where only `POST /calls/votes` is stated.
 */
export class AllowedMethods {
  private readonly patterns: Pattern[] = [];
  /** By route: the more specific patterns with paths that fit it, too. */
  private readonly rivals = new Map<string, readonly Pattern[]>();

  add(route: string, methods: string | readonly string[]): void {
    this.patterns.push({ segments: segmentsOf(route), methods: [methods].flat() });
    this.rivals.clear();
  }

  /** Sorted alphabetically; empty if no route has this path. */
  of(path: string): string[] {
    const parts = partsOf(path);
    const found = this.patterns.filter(({ segments }) => fits(segments, parts));
    const methods = found.filter((one) => found.every((other) => compared(one, other) >= 0)).flatMap((one) => one.methods);
    return [...new Set(methods)].sort();
  }

  /** True if the path of a request that the router gives to `route` belongs to a more specific one. */
  isOfAnother(route: string, path: string): boolean {
    const rivals = this.rivalsOf(route);
    if (rivals.length === 0) return false;
    const parts = partsOf(path);
    return rivals.some(({ segments }) => fits(segments, parts));
  }

  private rivalsOf(route: string): readonly Pattern[] {
    const known = this.rivals.get(route);
    if (known) return known;
    const own = { segments: segmentsOf(route), methods: [] };
    const found = this.patterns.filter((other) => compared(other, own) > 0 && fits(own.segments, other.segments));
    this.rivals.set(route, found);
    return found;
  }
}
