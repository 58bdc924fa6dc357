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

/** The allowed methods of a path, for the Allow header. */
export class AllowedMethods {
  private readonly patterns: Pattern[] = [];

  add(route: string, methods: string | readonly string[]): void {
    this.patterns.push({ segments: segmentsOf(route), methods: [methods].flat() });
  }

  /** Sorted alphabetically; empty if no route has this path. */
  of(path: string): string[] {
    const segments = path.split('/').map(decoded);
    const found = this.patterns.filter((pattern) => fits(pattern.segments, segments)).flatMap(({ methods }) => methods);
    return [...new Set(found)].sort();
  }
}
