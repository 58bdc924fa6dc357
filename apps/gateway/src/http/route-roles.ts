import type { Role } from '../identity/authenticator.js';

/** Who may, besides admins, on routes that do not say so themselves; test/tenants holds it against what the routes do. */
export const routeRoles: Readonly<Record<string, readonly Role[]>> = {
  'get /v1/tenants': ['admin'],
  'post /v1/tenants': ['admin'],
  'put /v1/tenants/{tenant_id}': ['admin'],
  'get /v1/keys': ['admin'],
  'post /v1/keys': ['admin'],
  'delete /v1/keys/{key_id}': ['admin'],
  'post /v1/policies': ['policy_admin'],
  'put /v1/policies/active': ['policy_admin'],
  'post /v1/policies:rollback': ['policy_admin'],
  'post /v1/policies:simulate': ['auditor', 'policy_admin'],
  'put /v1/policies/settings': ['policy_admin'],
  'put /v1/facts/{table}': ['policy_admin'],
  'patch /v1/facts/{table}': ['policy_admin'],
  'delete /v1/facts/{table}': ['policy_admin'],
  'put /v1/mappings/{tool}': ['policy_admin', 'tool_author'],
  'delete /v1/mappings/{tool}': ['policy_admin', 'tool_author'],
  'post /v1/mappings/{tool}/rollback': ['policy_admin', 'tool_author'],
  'post /v1/mappings/{tool}/activate': ['policy_admin'],
  'post /v1/mappings:try': ['operator', 'policy_admin', 'tool_author'],
};
