import type { ApiRoute } from './api-route.js';
import { qualityQuery } from './approval-quality.controller.js';
import { approvalFilters, votesRequest } from './approvals.controller.js';
import { decisionRequest } from './decisions.controller.js';
import { listQuery } from './lists.js';
import { voteDelegationRequest } from './vote-delegations.controller.js';
import { voteRequest } from './vote-room.js';

const APPROVAL = '/v1/approvals/{approval_id}';

const voteRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/v1/approvals/quality',
    summary: 'How well people decide',
    tag: 'approvals',
    query: qualityQuery,
    answers: { '200': 'Object' },
    roles: ['auditor', 'operator', 'policy_admin'],
  },
  {
    method: 'get',
    path: '/v1/approvals',
    summary: 'List approvals',
    tag: 'approvals',
    query: { ...approvalFilters, ...listQuery },
    answers: { '200': 'Page' },
  },
  { method: 'get', path: APPROVAL, summary: 'Read an approval', tag: 'approvals', answers: { '200': 'Object' } },
  {
    method: 'post',
    path: `${APPROVAL}/votes`,
    summary: 'Vote',
    tag: 'approvals',
    body: voteRequest,
    answers: { '200': 'Object', '202': 'Object' },
  },
  {
    method: 'post',
    path: '/v1/approvals/votes',
    summary: 'Vote on many requests at once',
    tag: 'approvals',
    body: votesRequest,
    answers: { '200': 'Object' },
  },
  {
    method: 'get',
    path: '/v1/vote-delegations',
    summary: 'List who votes for whom',
    tag: 'approvals',
    query: listQuery,
    answers: { '200': 'Page' },
  },
  {
    method: 'post',
    path: '/v1/vote-delegations',
    summary: 'Let somebody vote for you',
    tag: 'approvals',
    body: voteDelegationRequest,
    answers: { '201': 'Object' },
  },
  {
    method: 'delete',
    path: '/v1/vote-delegations/{delegation_id}',
    summary: 'End a delegation of votes',
    tag: 'approvals',
    answers: { '204': '' },
  },
  {
    method: 'get',
    path: '/v1/grants',
    summary: 'List what was approved for similar calls',
    tag: 'approvals',
    query: listQuery,
    answers: { '200': 'Page' },
  },
  { method: 'delete', path: '/v1/grants/{grant_id}', summary: 'Revoke it', tag: 'approvals', answers: { '204': '' } },
];

const linkRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/v1/decisions',
    summary: 'The page of a decision link',
    tag: 'approvals',
    query: {},
    answers: { '200': 'text/html' },
    open: true,
  },
  {
    method: 'post',
    path: '/v1/decisions',
    summary: 'Decide with a link',
    tag: 'approvals',
    body: decisionRequest,
    answers: { '200': 'Object' },
    open: true,
  },
];

export const approvalRoutes: readonly ApiRoute[] = [...voteRoutes, ...linkRoutes];
