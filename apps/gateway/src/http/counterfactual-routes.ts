import { counterfactualRequest, rangeRequest } from '../counterfactual/counterfactual-request.js';
import type { ApiRoute } from './api-route.js';
import { counterfactualRoles } from './counterfactual.controller.js';

export const counterfactualRoutes: readonly ApiRoute[] = [
  {
    method: 'post',
    path: '/v1/cases/{case_id}/counterfactual',
    summary: 'What would have been, had something been otherwise',
    tag: 'cases',
    reads: true,
    body: counterfactualRequest,
    answers: { '200': 'Object' },
    roles: counterfactualRoles,
  },
  {
    method: 'post',
    path: '/v1/counterfactual',
    summary: 'The same over a range of time, a page of calls at a time',
    tag: 'cases',
    reads: true,
    body: rangeRequest,
    answers: { '200': 'Page' },
    roles: counterfactualRoles,
  },
];
