import type { ApiRoute } from './api-routes.js';
import { listQuery } from './lists.js';
import { activationRequest, mappingDefinition, rollbackRequest, tryRequest } from './mapping-request.js';

const MAPPING = '/v1/mappings/{tool}';
const read = { method: 'get', tag: 'tools', answers: { '200': 'Object' } } as const;
const put = { method: 'put', tag: 'tools', answers: { '200': 'Object' } } as const;

/** The mappings' part of the HTTP API. */
export const registryRoutes: readonly ApiRoute[] = [
  { ...read, path: '/v1/mappings', tag: 'mappings', summary: 'List mappings', query: listQuery, answers: { '200': 'Page' } },
  { ...read, path: MAPPING, tag: 'mappings', summary: 'Read the mapping of a tool' },
  { ...put, path: MAPPING, tag: 'mappings', summary: 'Publish its next version', body: mappingDefinition },
  { method: 'delete', path: MAPPING, tag: 'mappings', summary: 'Map it no more', answers: { '204': '' } },
  { ...read, path: `${MAPPING}/versions`, tag: 'mappings', summary: 'Its versions, newest first', answers: { '200': 'Page' } },
  {
    ...put,
    method: 'post',
    path: `${MAPPING}/rollback`,
    tag: 'mappings',
    summary: 'Publish an earlier version again',
    body: rollbackRequest,
  },
  {
    ...put,
    method: 'post',
    path: `${MAPPING}/activate`,
    tag: 'mappings',
    summary: 'Let a version take effect that waits for a second person',
    body: activationRequest,
  },
  {
    ...put,
    method: 'post',
    path: '/v1/mappings:try',
    tag: 'mappings',
    summary: 'Try a mapping on recorded calls',
    reads: true,
    body: tryRequest,
  },
];
