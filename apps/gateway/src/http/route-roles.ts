import type { Role } from '../identity/authenticator.js';

/** Who may, besides admins, on routes that do not say so themselves; test/tenants holds it against what the routes do. */
export const routeRoles: Readonly<Record<string, readonly Role[]>> = {
  'post /v1/calls': ['agent', 'operator'],
  'post /v1/calls:batch': ['agent', 'operator'],
  'post /v1/calls/{call_id}/cancel': ['agent', 'operator'],
  'post /v1/calls/{call_id}/resolve': ['operator'],
  'post /v1/cases': ['agent', 'operator'],
  'patch /v1/cases/{case_id}': ['agent', 'operator'],
  'put /v1/tools/{name}/versions/{version}/lifecycle': ['policy_admin', 'tool_author'],
  'put /v1/tools/{name}/versions/{version}/pin': ['policy_admin', 'tool_author'],
  'post /v1/tools/{name}/versions/{version}/evaluations': ['tool_author'],
  'put /v1/tools/{name}/versions/{version}/audit': ['auditor'],
  'get /v1/adapters': ['operator', 'policy_admin'],
  'put /v1/adapters/{adapter}/environments/{environment}': ['admin'],
  'put /v1/policies/tools/{tool}': ['policy_admin'],
  'delete /v1/policies/tools/{tool}': ['policy_admin'],
  'get /v1/webhooks/secret': ['operator'],
  'post /v1/audit/cosignatures': ['auditor'],
  'get /v1/audit/checkpoint': ['auditor'],
  'get /v1/audit/proof': ['auditor'],
  'get /v1/audit/bundle': ['auditor'],
  'get /v1/audit/consistency': ['auditor'],
  'get /v1/audit/tile/{tile}': ['auditor'],
};
