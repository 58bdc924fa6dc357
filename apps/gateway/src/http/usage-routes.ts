import type { ApiRoute } from './api-route.js';
import { usageQuery } from './usage.controller.js';
import { billingQuery } from './usage-billing.controller.js';

/** The part of the HTTP API about what was used. */
export const usageRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/v1/usage',
    summary: 'What was called, how it went and what it cost',
    tag: 'usage',
    query: usageQuery,
    answers: { '200': 'Object' },
    roles: ['operator', 'auditor', 'agent'],
  },
  {
    method: 'get',
    path: '/v1/usage/billing',
    summary: "A month's billing lines",
    tag: 'usage',
    query: billingQuery,
    answers: { '200': 'application/x-ndjson' },
    roles: ['operator', 'auditor'],
  },
  {
    method: 'get',
    path: '/v1/usage/billing/periods',
    summary: 'The months that are closed',
    tag: 'usage',
    answers: { '200': 'Object' },
    roles: ['operator', 'auditor'],
  },
];
