import { fetch } from 'undici';

/** An operation in /openapi.json. */
export interface Route {
  method: string;
  path: string;
  /** The required roles, besides admins; empty: every principal. */
  roles: string[];
  open: boolean;
  has_body: boolean;
  query: string[];
}

interface Operation {
  'x-countersign-roles'?: string[];
  security?: object[];
  requestBody?: unknown;
  parameters?: { name: string; in: string }[];
}

/** A route without any security, or with an empty alternative, accepts requests without a token. */
const isOpen = ({ security }: Operation): boolean =>
  security !== undefined && (security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0));

/** Every route in the OpenAPI document of a running platform: a new route is probed automatically. */
export async function routesOf(base: string): Promise<Route[]> {
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      roles: operation['x-countersign-roles'] ?? [],
      open: isOpen(operation),
      has_body: operation.requestBody !== undefined,
      query: (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name),
    })),
  );
}

/** The path with a value for each parameter. */
export function filled(path: string, of: (name: string) => string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(of(name)));
}
