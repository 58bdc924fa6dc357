import type { OpenAPIObject } from '@nestjs/swagger';

type Security = readonly Readonly<Record<string, unknown>>[] | undefined;

const asRouted = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');
const isOpen = (security: Security): boolean => security?.every((scheme) => Object.keys(scheme).length === 0) ?? false;

/** Routes that take requests without a key (@Public), as the document of the API has them. */
export class KeylessRoutes {
  private keyless: ReadonlySet<string> = new Set();

  /** The routes are known once the application is made, and so after its hooks. */
  read({ paths }: Pick<OpenAPIObject, 'paths'>): void {
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, { security?: Security }>).flatMap(([method, { security }]) =>
        isOpen(security) ? [`${method.toUpperCase()} ${asRouted(path)}`] : [],
      ),
    );
    this.keyless = new Set(routes);
  }

  /** Whether a route, as the router has it, takes requests without a key. HEAD is asked as its GET. */
  has(method: string, route: string): boolean {
    return this.keyless.has(`${method === 'HEAD' ? 'GET' : method} ${route}`);
  }
}
