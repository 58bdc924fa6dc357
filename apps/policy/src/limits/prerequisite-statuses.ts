import { type Dependent, dependsOn } from '@countersign/decisions';
import { callStatuses, type Sql } from '@countersign/store';

/** Status of prerequisite calls from the view; one query per tenant. @throws InfrastructureFault */
export async function prerequisiteStatuses(sql: Sql, dependents: readonly Dependent[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, Set<string>>();
  for (const { tenant_id, call } of dependents) {
    const ofTenant = ids.get(tenant_id) ?? new Set();
    for (const call_id of dependsOn(call)) ofTenant.add(call_id);
    ids.set(tenant_id, ofTenant);
  }
  const statuses = new Map<string, string>();
  for (const [tenant_id, wanted] of ids)
    for (const [call_id, status] of await callStatuses(sql, tenant_id, [...wanted])) statuses.set(`${tenant_id}/${call_id}`, status);
  return statuses;
}
