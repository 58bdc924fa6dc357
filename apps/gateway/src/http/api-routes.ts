import type { ApiRoute } from './api-route.js';

export type { ApiRoute } from './api-route.js';

export const apiRoutes: readonly ApiRoute[] = [];
