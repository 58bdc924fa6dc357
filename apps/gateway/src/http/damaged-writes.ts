import { type RecordGuard, Refusal } from '@countersign/calls';
import type { FastifyInstance } from 'fastify';
import { apiRoutes } from './api-routes.js';
import type { Face } from './face.js';
import { sendProblem } from './reply.js';

/** Beside every answer to a tenant whose record is damaged. */
const DAMAGED_HEADER = 'countersign-record';

const asRouted = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');
const readable = new Set(apiRoutes.filter(({ reads }) => reads).map(({ method, path }) => `${method.toUpperCase()} ${asRouted(path)}`));

/** Whether a request leaves the tenant's record as it is. */
function isRead(method: string, route: string): boolean {
  return method === 'GET' || method === 'HEAD' || readable.has(`${method} ${route}`);
}

/** Refuses writes of tenants whose record is damaged; reads go on, and their answers say so. */
export function guardRecord(server: FastifyInstance, guard: RecordGuard, face: Pick<Face, 'admit'>): void {
  server.addHook('preHandler', (request, reply, done) => {
    const caller = face.admit(request, []);
    const refused = caller instanceof Refusal ? undefined : guard.refusal(caller.tenant_id);
    if (!refused) return done();
    // Streams and exports write their own heads: this one is merged into them.
    reply.raw.setHeader(DAMAGED_HEADER, 'damaged');
    if (isRead(request.method, request.routeOptions.url ?? '')) done();
    else sendProblem(request, reply, refused);
  });
}
