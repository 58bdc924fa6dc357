import type { ApiRoute } from './api-route.js';
import { listQuery } from './lists.js';
import { logDropRequest } from './log-drops.controller.js';
import { personalDataRequest } from './personal-data.controller.js';
import { retentionRequest, retentionRun } from './retention.controller.js';
import { eraseRequest } from './subjects.controller.js';

const RULE = '/v1/personal-data/{rule_id}';
const tag = 'personal data';
const object = { '200': 'Object' };

/** What is personal, who was erased, and how long sealed data is kept. */
export const personalRoutes: readonly ApiRoute[] = [
  { method: 'get', path: '/v1/personal-data', summary: 'What is personal', tag, query: listQuery, answers: { '200': 'Page' } },
  { method: 'get', path: RULE, summary: 'Read a rule', tag, answers: object },
  { method: 'put', path: RULE, summary: 'Say what is personal', tag, body: personalDataRequest, answers: object, roles: ['policy_admin'] },
  { method: 'delete', path: RULE, summary: 'Take a rule away', tag, answers: { '204': '' }, roles: ['policy_admin'] },
  {
    method: 'post',
    path: '/v1/subjects/{subject_id}/erase',
    summary: 'Erase a subject: its keys are destroyed',
    tag,
    body: eraseRequest,
    answers: object,
    roles: ['admin'],
  },
  {
    method: 'post',
    path: '/v1/log/drops',
    summary: 'Drop old records of calls behind a checkpoint',
    tag,
    body: logDropRequest,
    answers: object,
    roles: ['admin'],
  },
  { method: 'get', path: '/v1/retention', summary: 'How long sealed data is kept', tag, answers: object },
  { method: 'put', path: '/v1/retention', summary: 'Set it', tag, body: retentionRequest, answers: object, roles: ['policy_admin'] },
  {
    method: 'post',
    path: '/v1/retention/runs',
    summary: 'Destroy what was kept for long enough',
    tag,
    body: retentionRun,
    answers: object,
    roles: ['policy_admin'],
  },
];
