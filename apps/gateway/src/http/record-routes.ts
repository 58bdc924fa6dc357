import { type ApiRoute, lastEventId } from './api-route.js';
import { listQuery } from './lists.js';
import { sagaFilters } from './sagas.controller.js';

/** What is folded from the log. */
export const recordRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/v1/cases/{case_id}/events',
    summary: 'The lines of its history as they come (SSE)',
    tag: 'cases',
    headers: lastEventId,
    answers: { '200': 'text/event-stream' },
  },
  {
    method: 'get',
    path: '/v1/sagas',
    summary: 'List sagas, newest first',
    tag: 'sagas',
    query: { ...sagaFilters, ...listQuery },
    answers: { '200': 'Page' },
  },
  { method: 'get', path: '/v1/sagas/{saga_id}', summary: 'Read a saga and its steps', tag: 'sagas', answers: { '200': 'Object' } },
];
