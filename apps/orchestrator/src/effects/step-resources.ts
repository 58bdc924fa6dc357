import { resourceId, resourcesOf, type ToolContract } from '@countersign/contracts';

/** The resources of a write as ids, each with those above it: `id/id`. Names may be personal and are not recorded. */
export function stepResources(
  contract: Pick<ToolContract, 'resources'>,
  inputs: unknown,
  { tenant_id, tenant_key }: { tenant_id: string; tenant_key: Uint8Array },
): string[] {
  return resourcesOf(contract, inputs).map(({ segments }) =>
    segments.map((_, at) => resourceId(tenant_key, tenant_id, segments.slice(0, at + 1))).join('/'),
  );
}
