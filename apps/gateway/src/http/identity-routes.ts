import type { ApiRoute } from './api-route.js';
import { delegationRequest } from './delegations.controller.js';
import { identityProviderRequest } from './identity-providers.controller.js';
import { listQuery } from './lists.js';
import { personLinkRequest } from './person-links.controller.js';
import { secretRequest } from './secrets.controller.js';
import { tokenExchangeRequest } from './token-exchanges.controller.js';

const PROVIDER = '/v1/identity-providers/{provider_id}';
const EXCHANGE = '/v1/token-exchanges/{name}';
const PERSON_LINK = '/v1/person-links/{link_id}';
const SECRET = '/v1/secrets/{scope}/{name}';
const tag = 'identity';

/** Who is known to the platform, and for whom. */
export const identityRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/v1/identity-providers',
    summary: 'List OpenID providers',
    tag,
    query: listQuery,
    answers: { '200': 'Page' },
    roles: ['admin', 'auditor'],
  },
  {
    method: 'put',
    path: PROVIDER,
    summary: 'Set an OpenID provider',
    tag,
    body: identityProviderRequest,
    answers: { '200': 'Object' },
    roles: ['admin'],
  },
  { method: 'delete', path: PROVIDER, summary: 'Remove an OpenID provider', tag, answers: { '204': '' }, roles: ['admin'] },
  { method: 'get', path: '/v1/delegations', summary: 'List delegations', tag, query: listQuery, answers: { '200': 'Page' } },
  {
    method: 'post',
    path: '/v1/delegations',
    summary: 'Let an agent act for you',
    tag,
    body: delegationRequest,
    answers: { '201': 'Object' },
  },
  {
    method: 'get',
    path: '/v1/token-exchanges',
    summary: 'List token exchanges',
    tag,
    query: listQuery,
    answers: { '200': 'Page' },
    roles: ['admin', 'auditor'],
  },
  {
    method: 'put',
    path: EXCHANGE,
    summary: 'Set how a credential is exchanged',
    tag,
    body: tokenExchangeRequest,
    answers: { '200': 'Object' },
    roles: ['admin'],
  },
  { method: 'delete', path: EXCHANGE, summary: 'Remove a token exchange', tag, answers: { '204': '' }, roles: ['admin'] },
  {
    method: 'get',
    path: '/v1/person-links',
    summary: 'List which identities are one person, and which are two',
    tag,
    query: listQuery,
    answers: { '200': 'Page' },
    roles: ['policy_admin', 'auditor'],
  },
  { method: 'get', path: PERSON_LINK, summary: 'One person link', tag, answers: { '200': 'Object' }, roles: ['policy_admin', 'auditor'] },
  {
    method: 'put',
    path: PERSON_LINK,
    summary: 'Record that two identities are one person, or two',
    tag,
    body: personLinkRequest,
    answers: { '200': 'Object' },
    roles: ['policy_admin'],
  },
  { method: 'delete', path: PERSON_LINK, summary: 'Remove a person link', tag, answers: { '204': '' }, roles: ['policy_admin'] },
  {
    method: 'get',
    path: '/v1/actor-keys/{tenant_id}',
    summary: 'Keys that actor tokens are checked with',
    tag,
    answers: { '200': 'Object' },
    open: true,
  },
  { method: 'get', path: '/v1/secrets', summary: 'List secrets, without their values', tag, query: listQuery, answers: { '200': 'Page' } },
  { method: 'get', path: '/v1/secrets/{name}', summary: 'Which secret of a name your calls get', tag, answers: { '200': 'Object' } },
  { method: 'put', path: SECRET, summary: 'Set a secret', tag, body: secretRequest, answers: { '200': 'Object', '201': 'Object' } },
  {
    method: 'post',
    path: `${SECRET}/rotate`,
    summary: 'Replace the value of a secret',
    tag,
    body: secretRequest,
    answers: { '200': 'Object' },
  },
  { method: 'delete', path: SECRET, summary: 'Delete a secret', tag, answers: { '204': '' } },
  {
    method: 'post',
    path: '/v1/secrets:rotate-keys',
    summary: 'Wrap all secrets with a new key',
    tag,
    answers: { '200': 'Object' },
    roles: ['admin'],
  },
  { method: 'delete', path: '/v1/delegations/{delegation_id}', summary: 'End a delegation', tag, answers: { '204': '' } },
];
