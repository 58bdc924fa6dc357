import { batchRequest, callRequest } from '@countersign/calls';
import type { z } from 'zod';
import { type ApiRoute, lastEventId } from './api-route.js';
import { approvalRoutes } from './approval-routes.js';
import { auditRoutes } from './audit-routes.js';
import { cancelRequest, resolveRequest } from './call-commands.controller.js';
import { callFilters } from './calls.controller.js';
import { caseChange, caseFilters, caseRequest } from './cases.controller.js';
import { counterfactualRoutes } from './counterfactual-routes.js';
import { damageRoutes } from './damage-routes.js';
import { listQuery } from './lists.js';
import { recordRoutes } from './record-routes.js';
import { registryRoutes } from './registry-routes.js';
import { runRoutes } from './runs.controller.js';
import { toolPolicyRequest } from './tool-policies.controller.js';
import { trustRoutes } from './trust-routes.js';

export type { ApiRoute } from './api-route.js';

const list = (filters: z.ZodRawShape = {}): z.ZodRawShape => ({ ...filters, ...listQuery });
const call = { '200': 'Envelope', '202': 'Envelope' };

const callRoutes: readonly ApiRoute[] = [
  {
    method: 'post',
    path: '/v1/calls',
    summary: 'Submit a call',
    tag: 'calls',
    body: callRequest,
    headers: {
      'Idempotency-Key':
        'the key of a write, of 1 to 255 printable ASCII characters, instead of the one derived from its inputs; reads are not deduplicated',
      Prefer: '`wait=N`: seconds until a call that has not ended is answered as it is, by 202',
      traceparent: 'W3C trace context: the trace that the call belongs to',
    },
    answers: call,
  },
  {
    method: 'post',
    path: '/v1/calls:batch',
    summary: 'Submit many calls',
    tag: 'calls',
    body: batchRequest,
    answers: { '200': 'application/x-ndjson' },
  },
  {
    method: 'get',
    path: '/v1/calls',
    summary: 'List calls, newest first',
    tag: 'calls',
    query: list(callFilters),
    answers: { '200': 'EnvelopePage' },
  },
  { method: 'get', path: '/v1/calls/{call_id}', summary: 'Read a call', tag: 'calls', answers: { '200': 'Envelope' } },
  {
    method: 'get',
    path: '/v1/calls/{call_id}/events',
    summary: 'Follow a call',
    tag: 'calls',
    headers: lastEventId,
    answers: { '200': 'text/event-stream' },
  },
  { method: 'post', path: '/v1/calls/{call_id}/cancel', summary: 'Cancel a call', tag: 'calls', body: cancelRequest, answers: call },
  { method: 'post', path: '/v1/calls/{call_id}/resolve', summary: 'Say what happened', tag: 'calls', body: resolveRequest, answers: call },
];

const blobRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/v1/blobs/{name}',
    summary: 'Read a large output or an attachment',
    tag: 'calls',
    answers: { '200': 'application/octet-stream' },
  },
];

const peopleRoutes: readonly ApiRoute[] = [
  { method: 'post', path: '/v1/cases', summary: 'Open a case', tag: 'cases', body: caseRequest, answers: { '201': 'Object' } },
  { method: 'get', path: '/v1/cases', summary: 'List cases', tag: 'cases', query: list(caseFilters), answers: { '200': 'Page' } },
  { method: 'get', path: '/v1/cases/{case_id}', summary: 'Read a case', tag: 'cases', answers: { '200': 'Object' } },
  {
    method: 'patch',
    path: '/v1/cases/{case_id}',
    summary: 'Close or reopen a case',
    tag: 'cases',
    body: caseChange,
    answers: { '200': 'Object' },
  },
  {
    method: 'get',
    path: '/v1/cases/{case_id}/history',
    summary: 'Read its timeline',
    tag: 'cases',
    query: list(),
    answers: { '200': 'Page' },
  },
];

const POLICY = '/v1/policies/tools/{tool}';
const settingRoutes: readonly ApiRoute[] = [
  { method: 'get', path: '/v1/policies/tools', summary: 'List tiers', tag: 'policies', query: list(), answers: { '200': 'Page' } },
  { method: 'get', path: POLICY, summary: 'Read the tier of a tool', tag: 'policies', answers: { '200': 'Object' } },
  {
    method: 'put',
    path: POLICY,
    summary: 'Set the tier of a tool',
    tag: 'policies',
    body: toolPolicyRequest,
    answers: { '200': 'Object' },
  },
  { method: 'delete', path: POLICY, summary: 'Go back to its default', tag: 'policies', answers: { '204': '' } },
];

const healthRoutes: readonly ApiRoute[] = [
  { method: 'get', path: '/healthz', summary: 'Alive', tag: 'health', answers: { '200': 'Object' }, open: true },
  { method: 'get', path: '/readyz', summary: 'Caught up', tag: 'health', answers: { '200': 'Object', '503': 'Object' }, open: true },
  {
    method: 'get',
    path: '/metrics',
    summary: 'Prometheus metrics: on loopback, with the metrics token, or for auditors',
    tag: 'health',
    answers: { '200': 'text/plain' },
    open: true,
  },
  {
    method: 'get',
    path: '/asyncapi.json',
    summary: 'Topics that others may read',
    tag: 'health',
    answers: { '200': 'Object' },
    open: true,
  },
  { method: 'get', path: '/openapi.json', summary: 'This document', tag: 'health', answers: { '200': 'Object' }, open: true },
];

export const apiRoutes: readonly ApiRoute[] = [
  ...callRoutes,
  ...blobRoutes,
  ...peopleRoutes,
  ...approvalRoutes,
  ...counterfactualRoutes,
  ...damageRoutes,
  ...runRoutes,
  ...registryRoutes,
  ...settingRoutes,
  ...auditRoutes,
  ...recordRoutes,
  ...trustRoutes,
  ...healthRoutes,
];
