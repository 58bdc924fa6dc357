import type { ApiRoute } from './api-route.js';
import { approvalRoutes } from './approval-routes.js';
import { auditRoutes } from './audit-routes.js';
import { damageRoutes } from './damage-routes.js';

export type { ApiRoute } from './api-route.js';

export const apiRoutes: readonly ApiRoute[] = [...approvalRoutes, ...auditRoutes, ...damageRoutes];
