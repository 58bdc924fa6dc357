import { type ApiRoute } from './api-route.js';
import { listQuery } from './lists.js';
import { securityFilters } from './security-events.controller.js';

const ONE = '/v1/projections/{name}';

/** What is folded from the log. */
export const recordRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/v1/projections',
    summary: 'List what is folded from the log',
    tag: 'projections',
    query: listQuery,
    answers: { '200': 'Page' },
    roles: ['operator'],
  },
  { method: 'get', path: ONE, summary: 'Read where one stands', tag: 'projections', answers: { '200': 'Object' }, roles: ['operator'] },
  {
    method: 'get',
    path: `${ONE}/digest`,
    summary: 'One digest a table, of every row',
    tag: 'projections',
    answers: { '200': 'Object' },
    roles: ['operator'],
  },
  {
    method: 'post',
    path: `${ONE}/rebuild`,
    summary: 'Fold it anew, beside the rows that are read meanwhile',
    tag: 'projections',
    reads: true,
    answers: { '202': 'Object' },
    roles: ['operator'],
  },
  {
    method: 'get',
    path: '/v1/security-events',
    summary: 'What was refused, forged or malformed, newest first',
    tag: 'security',
    query: { ...securityFilters, ...listQuery },
    answers: { '200': 'Page' },
    roles: ['auditor', 'operator'],
  },
];
