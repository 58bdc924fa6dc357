/** Keys by tenant, derived from the installation's master key. */
export interface TenantKeys {
  tenantKey(tenant_id: string): Buffer;
}
