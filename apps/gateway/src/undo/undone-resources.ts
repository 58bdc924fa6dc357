import type { ClaimedResources } from '@countersign/contracts';

/**
 * The claimed names of an effect for the order of compensations: `name` for what it acts on, and `above/name` for each name above that. Two
 * effects share a resource if one acts on a name that the other one acts on or below.
 */
export function undoneResources(resources: ClaimedResources | null): string[] {
  const touched = resources?.touched ?? [];
  const own = touched.filter(({ exact }) => exact).map(({ resource }) => resource);
  const above = touched.filter(({ exact }) => !exact).map(({ resource }) => `${resource}/${own[0] ?? ''}`);
  return [...own, ...above];
}
