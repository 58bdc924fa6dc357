import { apiRoutes } from './api-routes.js';

const asRouted = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');
const keyless = new Set(apiRoutes.filter(({ open }) => open).map(({ method, path }) => `${method.toUpperCase()} ${asRouted(path)}`));

/** Whether a route, as the router has it, takes requests without a key. HEAD is asked as its GET. */
export function isKeyless(method: string, route: string): boolean {
  return keyless.has(`${method === 'HEAD' ? 'GET' : method} ${route}`);
}
