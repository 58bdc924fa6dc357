import type { ApiRoute } from './api-route.js';
import { bundleQuery, checkpointQuery, consistencyQuery, cosignatureRequest, proofQuery } from './audit.controller.js';
import { auditListQuery, exportQuery } from './audit-query.js';

export const auditRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/v1/audit/checkpoint',
    summary: 'The newest signed checkpoint',
    tag: 'audit',
    query: checkpointQuery,
    answers: { '200': 'text/plain' },
  },
  {
    method: 'post',
    path: '/v1/audit/cosignatures',
    summary: 'A witness saw a checkpoint',
    tag: 'audit',
    body: cosignatureRequest,
    answers: { '200': 'Object' },
  },
  {
    method: 'get',
    path: '/v1/audit/events',
    summary: 'What stands on the log, oldest first',
    tag: 'audit',
    query: auditListQuery,
    answers: { '200': 'Page' },
    roles: ['auditor'],
  },
  {
    method: 'get',
    path: '/v1/audit/events/{event_id}',
    summary: 'One event, with all that it says',
    tag: 'audit',
    answers: { '200': 'Object' },
    roles: ['auditor'],
  },
  {
    method: 'get',
    path: '/v1/audit/export',
    summary: 'All of it, as NDJSON, CSV or Parquet',
    tag: 'audit',
    query: exportQuery,
    answers: { '200': 'application/x-ndjson' },
    roles: ['auditor'],
  },
  { method: 'get', path: '/v1/audit/proof', summary: 'Prove a record', tag: 'audit', query: proofQuery, answers: { '200': 'Object' } },
  {
    method: 'get',
    path: '/v1/audit/bundle',
    summary: 'All about a call or a case, provable offline',
    tag: 'audit',
    query: bundleQuery,
    answers: { '200': 'Object' },
  },
  {
    method: 'get',
    path: '/v1/audit/consistency',
    summary: 'Prove that nothing but appends came between two checkpoints',
    tag: 'audit',
    query: consistencyQuery,
    answers: { '200': 'Object' },
  },
  {
    method: 'get',
    path: '/v1/audit/tile/{tile}',
    summary: 'Hashes of a tree (C2SP tlog-tiles)',
    tag: 'audit',
    answers: { '200': 'application/octet-stream' },
  },
];
