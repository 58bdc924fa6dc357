import { adapterPinRequest } from './adapter-pins.controller.js';
import type { ApiRoute } from './api-routes.js';
import { listQuery } from './lists.js';
import { auditRequest, evaluationRequest, lifecycleRequest, pinRequest } from './tool-lifecycle.controller.js';
import { toolFilters, toolSearchQuery } from './tools.controller.js';

const VERSION = '/v1/tools/{name}/versions/{version}';
const read = { method: 'get', tag: 'tools', answers: { '200': 'Object' } } as const;
const put = { method: 'put', tag: 'tools', answers: { '200': 'Object' } } as const;

/** The registry's part of the HTTP API. */
export const registryRoutes: readonly ApiRoute[] = [
  { ...read, path: '/v1/tools', summary: 'List tools', query: { ...toolFilters, ...listQuery }, answers: { '200': 'Page' } },
  { ...read, path: '/v1/tools:search', summary: 'Find tools by what they can do', query: toolSearchQuery },
  { ...read, path: '/v1/tools/{name}', summary: 'Read a tool' },
  { ...read, path: '/v1/tools/{name}/versions', summary: 'List its versions', query: listQuery, answers: { '200': 'Page' } },
  { ...read, path: VERSION, summary: 'Read the record of a version' },
  { ...put, path: `${VERSION}/lifecycle`, summary: 'Promote, deprecate or block a version', body: lifecycleRequest },
  { ...put, path: `${VERSION}/pin`, summary: 'Accept the contract that a version has now', body: pinRequest },
  {
    ...put,
    path: `${VERSION}/audit`,
    summary: 'Record what a security audit of a version came to',
    body: auditRequest,
    roles: ['auditor'],
  },
  {
    method: 'post',
    path: `${VERSION}/evaluations`,
    tag: 'tools',
    summary: 'Record the result of its evaluation pack',
    body: evaluationRequest,
    answers: { '201': 'Object' },
  },
  { ...read, path: '/v1/adapters', summary: 'List pinned adapters', query: listQuery, answers: { '200': 'Page' } },
  {
    ...put,
    path: '/v1/adapters/{adapter}/environments/{environment}',
    summary: 'Pin an adapter in an environment',
    body: adapterPinRequest,
  },
];
