/** Injection token of the signing keys of tenants (TenantKeys). */
export const TENANT_KEYS = Symbol('tenant keys');
