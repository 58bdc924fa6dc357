import { hkdfSync } from 'node:crypto';

/** Keys by tenant, derived from the installation's master key. */
export interface TenantKeys {
  tenantKey(tenant_id: string): Buffer;
}

const KEY_BYTES = 32;
/** By the key of the tenant: they are kept as long as it is. */
const derived = new WeakMap<Buffer, Map<string, Buffer>>();

/** The key of a tenant for one purpose (HKDF), 32 bytes. `purpose`: a constant of the code. Derived once, since requests need it. */
export function tenantKeyFor(keys: TenantKeys, tenant_id: string, purpose: string): Buffer {
  const tenant_key = keys.tenantKey(tenant_id);
  const known = derived.get(tenant_key) ?? new Map<string, Buffer>();
  derived.set(tenant_key, known);
  const key = known.get(purpose) ?? Buffer.from(hkdfSync('sha256', tenant_key, Buffer.alloc(0), `countersign/${purpose}`, KEY_BYTES));
  known.set(purpose, key);
  return key;
}
