import type { OpenAPIObject } from '@nestjs/swagger';

const asRouted = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

interface Operation {
  security?: readonly object[];
}

const isPublic = ({ security }: Operation): boolean =>
  security !== undefined && (security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0));

/** The routes that take requests without a token; known once the document of all routes is made. */
export class PublicRoutes {
  private readonly known = new Set<string>();

  read({ paths }: Pick<OpenAPIObject, 'paths'>): void {
    for (const [path, operations] of Object.entries(paths))
      for (const [method, operation] of Object.entries(operations as Record<string, Operation>))
        if (isPublic(operation)) this.known.add(`${method.toUpperCase()} ${asRouted(path)}`);
  }

  /** `route`: as the router has it. HEAD is asked as its GET. */
  has(method: string, route: string): boolean {
    return this.known.has(`${method === 'HEAD' ? 'GET' : method} ${route}`);
  }
}
