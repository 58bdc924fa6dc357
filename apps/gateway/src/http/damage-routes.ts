import type { ApiRoute } from './api-route.js';
import { acceptDamageRequest } from './damages.controller.js';
import { listQuery } from './lists.js';
import { scrubRequest } from './scrubs.controller.js';

export const damageRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/v1/damages',
    summary: 'Places of the record that are not what was signed',
    tag: 'audit',
    query: listQuery,
    answers: { '200': 'Page' },
    roles: ['operator', 'auditor'],
  },
  {
    method: 'post',
    path: '/v1/damages/accept',
    summary: 'Go on after damage was restored or is lost: the decision stays on the record',
    tag: 'audit',
    reads: true,
    body: acceptDamageRequest,
    answers: { '200': 'Object' },
    roles: ['operator'],
  },
  {
    method: 'post',
    path: '/v1/scrubs',
    summary: 'Compare all of the record with what was signed, now',
    tag: 'audit',
    reads: true,
    body: scrubRequest,
    answers: { '202': 'Object' },
    roles: ['operator'],
  },
  {
    method: 'get',
    path: '/v1/scrubs/{run_id}',
    summary: 'How far a comparison is, and what it found',
    tag: 'audit',
    answers: { '200': 'Object' },
    roles: ['operator'],
  },
];
