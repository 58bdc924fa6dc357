/** Injection token of the keys that tenants have (TenantKeys). */
export const TENANT_KEYS = Symbol('tenant keys');
