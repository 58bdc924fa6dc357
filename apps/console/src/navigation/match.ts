export type Parameters = Readonly<Record<string, string>>;

/** The parameters of a path that has the form of a pattern (`/calls/:id`); undefined for any other path. */
export function matchPath(pattern: string, path: string): Parameters | undefined {
  const expected = pattern.split('/');
  const given = path.split('/');
  if (expected.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [at, part] of expected.entries()) {
    const text = given[at] as string;
    if (!part.startsWith(':')) {
      if (part !== text) return undefined;
      continue;
    }
    const value = decoded(text);
    if (value === undefined || value === '') return undefined;
    parameters[part.slice(1)] = value;
  }
  return parameters;
}

/** The path of a pattern with these parameters, each encoded as one segment. */
export function pathTo(pattern: string, parameters: Parameters): string {
  return pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
}

/** `query` with some of its names set; an empty or undefined value removes the name. */
export function withQuery(query: string, changes: Readonly<Record<string, string | undefined>>): string {
  const all = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') all.delete(name);
    else all.set(name, value);
  }
  const text = all.toString();
  return text === '' ? '' : `?${text}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
