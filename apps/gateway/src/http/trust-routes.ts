import type { ApiRoute } from './api-route.js';
import { listQuery } from './lists.js';
import { ratingRequest } from './ratings.controller.js';
import { pastQuery, trustEventsQuery, trustQuery } from './trust.controller.js';

const read = { method: 'get', tag: 'trust', answers: { '200': 'Object' } } as const;
const TOOL = '/v1/tools/{name}';

/** Trust and ratings. */
export const trustRoutes: readonly ApiRoute[] = [
  { ...read, path: `${TOOL}/trust`, summary: 'The trust in a version, with all that it is made of', query: trustQuery },
  {
    ...read,
    path: `${TOOL}/trust/events`,
    summary: 'The events behind the trust in a version',
    query: trustEventsQuery,
    answers: { '200': 'Page' },
  },
  { ...read, path: `${TOOL}/ratings`, summary: 'What people think of a tool', query: listQuery, answers: { '200': 'Page' } },
  {
    method: 'post',
    tag: 'trust',
    path: `${TOOL}/ratings`,
    summary: 'Rate a tool that one has used',
    body: ratingRequest,
    answers: { '201': 'Object' },
  },
  { ...read, path: '/v1/trust/providers/{provider}', summary: 'The reputation of a provider', query: pastQuery },
  {
    ...read,
    path: '/v1/trust/agents/{agent}',
    summary: 'The trust in an agent',
    query: pastQuery,
    roles: ['operator', 'auditor', 'policy_admin', 'approver'],
  },
];
