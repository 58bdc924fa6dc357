import { type ClaimedResources, type ClaimedTouch, callId } from '@countersign/contracts';
import type { Row, Sql, Statement } from '../store.js';
import { claimedResources } from './resource-row.js';

/** An effect, with what is needed to find later effects on the same resources. */
export interface PlacedEffect {
  tenant_id: string;
  key: string;
  resources: ClaimedResources;
  ended_at_s: number;
}

/** Most later effects that are returned. */
const FOUND_MAX = 500;

// Scans the rows after the effect: only for people who are about to undo something.
const LATER = `SELECT t.key, t.attempt, t.call_uuid, t.partition, t.resources FROM tool_executions t
WHERE t.tenant_id = $1 AND t.key <> $2 AND t.state IN (1, 2, 3, 6) AND t.resources IS NOT NULL
  AND (t.ended_at_s IS NULL OR t.ended_at_s >= $3)
  AND EXISTS (SELECT FROM unnest($4::text[]) n WHERE strpos(t.resources, n) > 0)
ORDER BY t.ended_at_s NULLS LAST LIMIT ${FOUND_MAX}`;

interface LaterRow extends Row {
  call_uuid: string;
  partition: number;
  resources: string;
}

/** The names by which overlapping rows are found: the names that the effect acts on and all names above them. */
function namesOf({ touched }: ClaimedResources): string[] {
  return touched.flatMap(({ resource, exact }) => (exact ? [`"${resource}"`] : [`"${resource}",1,`, `"${resource}",3,`]));
}

const acts = (touches: readonly ClaimedTouch[], resource: string): ClaimedTouch | undefined =>
  touches.find((touch) => touch.resource === resource);

/** Whether two effects act on a common resource and at least one of them replaces it: two additions do not overlap. */
export function overlap(a: ClaimedResources, b: ClaimedResources): boolean {
  const meets = (one: ClaimedResources, other: ClaimedResources): boolean =>
    one.touched.some((touch) => {
      const met = touch.exact ? acts(other.touched, touch.resource) : undefined;
      return met !== undefined && (touch.replaces || met.replaces);
    });
  return meets(a, b) || meets(b, a);
}

export function laterEffectsStatement({ tenant_id, key, resources, ended_at_s }: PlacedEffect): Statement {
  return { name: 'later_effects', text: LATER, params: [tenant_id, key, ended_at_s, namesOf(resources)] };
}

/**
 * Calls of the tenant that acted on the same resources after this effect, or act on them now; includes calls that undid something there.
 */
export async function laterEffects(sql: Sql, effect: PlacedEffect): Promise<string[]> {
  const rows = await sql.query<LaterRow>(laterEffectsStatement(effect));
  return rows.flatMap(({ call_uuid, partition, resources }) => {
    const other = claimedResources(resources);
    const later = other.generation > effect.resources.generation && overlap(effect.resources, other);
    return later ? [callId(partition, call_uuid)] : [];
  });
}
