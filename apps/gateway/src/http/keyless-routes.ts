import { apiRoutes } from './api-routes.js';
import type { HttpRequest } from './reply.js';

const asRouted = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');
/** Of the controllers that do not state their routes by decorators yet. */
const keyless = new Set(apiRoutes.filter(({ open }) => open).map(({ method, path }) => `${method.toUpperCase()} ${asRouted(path)}`));

/** Whether the route of a request, as the router has it, takes requests without a key. HEAD is asked as its GET. */
export function isKeyless({ method, routeOptions: { url, config } }: HttpRequest): boolean {
  return (config as { is_public?: boolean }).is_public === true || keyless.has(`${method === 'HEAD' ? 'GET' : method} ${url ?? ''}`);
}
