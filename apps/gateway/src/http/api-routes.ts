import type { z } from 'zod';
import { activateRequest, policySettings, publishRequest } from '../policies/bundle-request.js';
import { evaluationRequest, resolveTierRequest } from './access.controller.js';
import { type ApiRoute } from './api-route.js';
import { approvalRoutes } from './approval-routes.js';
import { auditRoutes } from './audit-routes.js';
import { damageRoutes } from './damage-routes.js';
import { factsChange, factsRequest } from './facts.controller.js';
import { identityRoutes } from './identity-routes.js';
import { keyRequest } from './keys.controller.js';
import { listQuery } from './lists.js';
import { personalRoutes } from './personal-routes.js';
import { recordRoutes } from './record-routes.js';
import { registryRoutes } from './registry-routes.js';
import { simulateRequest } from './simulate.controller.js';
import { tenantChange, tenantRequest } from './tenants.controller.js';
import { usageRoutes } from './usage-routes.js';

export type { ApiRoute } from './api-route.js';

const list = (filters: z.ZodRawShape = {}): z.ZodRawShape => ({ ...filters, ...listQuery });
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

const settingRoutes: readonly ApiRoute[] = [
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
  { method: 'get', path: '/v1/webhooks/secret', summary: 'Secret of callback signatures', tag: 'keys', answers: { '200': 'Object' } },
  { method: 'delete', path: '/v1/keys/{key_id}', summary: 'Revoke an API key', tag: 'keys', answers: { '204': '' } },
];

export const apiRoutes: readonly ApiRoute[] = [
  ...approvalRoutes,
  ...damageRoutes,
  ...registryRoutes,
  ...settingRoutes,
  ...policyRoutes,
  ...identityRoutes,
  ...auditRoutes,
  ...usageRoutes,
  ...personalRoutes,
  ...recordRoutes,
];
