import { batchRequest, callRequest } from '@countersign/calls';
import type { z } from 'zod';
import { activateRequest, policySettings, publishRequest } from '../policies/bundle-request.js';
import { evaluationRequest, resolveTierRequest } from './access.controller.js';
import { type ApiRoute, lastEventId } from './api-route.js';
import { cancelRequest, resolveRequest } from './call-commands.controller.js';
import { callFilters } from './calls.controller.js';
import { caseChange, caseFilters, caseRequest } from './cases.controller.js';
import { counterfactualRoutes } from './counterfactual-routes.js';
import { factsChange, factsRequest } from './facts.controller.js';
import { identityRoutes } from './identity-routes.js';
import { keyRequest } from './keys.controller.js';
import { listQuery } from './lists.js';
import { recordRoutes } from './record-routes.js';
import { registryRoutes } from './registry-routes.js';
import { runRoutes } from './runs.controller.js';
import { simulateRequest } from './simulate.controller.js';
import { tenantChange, tenantRequest } from './tenants.controller.js';
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

const VERSIONED = '/v1/policies';
const FACTS = '/v1/facts/{table}';
const policyRoutes: readonly ApiRoute[] = [
  { method: 'get', path: VERSIONED, summary: 'List policies', tag: 'policies', query: list(), answers: { '200': 'Page' } },
  { method: 'post', path: VERSIONED, summary: 'Publish a policy', tag: 'policies', body: publishRequest, answers: { '201': 'Object' } },
  { method: 'get', path: `${VERSIONED}/{version}`, summary: 'Read a policy', tag: 'policies', answers: { '200': 'Object' } },
  { method: 'get', path: `${VERSIONED}/active`, summary: 'Which one rules, and which did', tag: 'policies', answers: { '200': 'Object' } },
  {
    method: 'put',
    path: `${VERSIONED}/active`,
    summary: 'Activate a policy, and one in shadow',
    tag: 'policies',
    body: activateRequest,
    answers: { '200': 'Object' },
  },
  { method: 'post', path: `${VERSIONED}:rollback`, summary: 'Go back to the one before', tag: 'policies', answers: { '200': 'Object' } },
  {
    method: 'post',
    path: `${VERSIONED}:simulate`,
    summary: 'What a draft would have ruled',
    tag: 'policies',
    reads: true,
    body: simulateRequest,
    answers: { '200': 'Object' },
  },
  { method: 'get', path: `${VERSIONED}/settings`, summary: 'How policies are changed', tag: 'policies', answers: { '200': 'Object' } },
  {
    method: 'put',
    path: `${VERSIONED}/settings`,
    summary: 'Change how policies are changed',
    tag: 'policies',
    body: policySettings,
    answers: { '200': 'Object' },
  },
  { method: 'get', path: '/v1/facts', summary: 'List fact tables', tag: 'policies', query: list(), answers: { '200': 'Page' } },
  { method: 'get', path: FACTS, summary: 'Read a fact table', tag: 'policies', answers: { '200': 'Object' } },
  { method: 'get', path: `${FACTS}/versions`, summary: 'Its versions, newest first', tag: 'policies', answers: { '200': 'Page' } },
  { method: 'put', path: FACTS, summary: 'Set all its rows', tag: 'policies', body: factsRequest, answers: { '200': 'Object' } },
  { method: 'patch', path: FACTS, summary: 'Add and take away rows', tag: 'policies', body: factsChange, answers: { '200': 'Object' } },
  { method: 'delete', path: FACTS, summary: 'Drop it', tag: 'policies', answers: { '204': '' } },
  {
    method: 'post',
    path: '/v1/policies/tools/{tool}/resolve',
    summary: 'The effective tier of a tool for inputs',
    tag: 'policies',
    reads: true,
    body: resolveTierRequest,
    answers: { '200': 'Object' },
  },
  {
    method: 'post',
    path: '/access/v1/evaluation',
    summary: 'AuthZEN 1.0: what would be ruled',
    tag: 'policies',
    reads: true,
    body: evaluationRequest,
    answers: { '200': 'Object' },
  },
  {
    method: 'get',
    path: '/.well-known/authzen-configuration',
    summary: 'Where AuthZEN is answered',
    tag: 'policies',
    answers: { '200': 'Object' },
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
  { method: 'get', path: '/v1/tenants', summary: 'List tenants', tag: 'tenants', query: list(), answers: { '200': 'Page' } },
  { method: 'post', path: '/v1/tenants', summary: 'Make a tenant', tag: 'tenants', body: tenantRequest, answers: { '201': 'Object' } },
  {
    method: 'put',
    path: '/v1/tenants/{tenant_id}',
    summary: 'Change a tenant',
    tag: 'tenants',
    body: tenantChange,
    answers: { '200': 'Object' },
  },
  { method: 'get', path: '/v1/keys', summary: 'List API keys', tag: 'keys', query: list(), answers: { '200': 'Page' } },
  { method: 'post', path: '/v1/keys', summary: 'Make an API key', tag: 'keys', body: keyRequest, answers: { '201': 'Object' } },
  { method: 'delete', path: '/v1/keys/{key_id}', summary: 'Revoke an API key', tag: 'keys', answers: { '204': '' } },
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
  ...counterfactualRoutes,
  ...runRoutes,
  ...registryRoutes,
  ...settingRoutes,
  ...policyRoutes,
  ...identityRoutes,
  ...recordRoutes,
  ...trustRoutes,
  ...healthRoutes,
];
