import type { ClaimedResources } from '@countersign/contracts';

/** One name that a write acts on, or a prefix of such a name. */
export interface ResourceTouch {
  /** HMAC of the name, a UUID's text. */
  resource: string;
  /** True: the write acts on exactly this name. False: it acts on a name below it. */
  exact: boolean;
  /** The strongest effect of the write on this name or below it is a replacement. */
  replaces: boolean;
}

const EXACT = 1;
const REPLACES = 2;

/** `flags` as stored in the tables. */
export const touchFlags = ({ exact, replaces }: Pick<ResourceTouch, 'exact' | 'replaces'>): number =>
  (exact ? EXACT : 0) + (replaces ? REPLACES : 0);

/** The column text: `{"generation", "settle_ms", "touched": [[resource, flags, seen], …]}`. SQL reads and writes the same form. */
export function resourcesText({ generation, settle_ms, touched }: ClaimedResources): string {
  return JSON.stringify({ generation, settle_ms, touched: touched.map((one) => [one.resource, touchFlags(one), one.seen]) });
}

export function claimedResources(text: string): ClaimedResources {
  const { generation, settle_ms, touched } = JSON.parse(text) as {
    generation: number;
    settle_ms: number;
    touched: [resource: string, flags: number, seen: number][];
  };
  return {
    generation,
    settle_ms,
    touched: touched.map(([resource, flags, seen]) => ({
      resource,
      exact: (flags & EXACT) !== 0,
      replaces: (flags & REPLACES) !== 0,
      seen,
    })),
  };
}

/** The SET clause of an upsert into `resource_generations AS g`: each column keeps the newer effect, whatever the order of the writes. */
export const NEWEST_WINS = `in_any = greatest(g.in_any, excluded.in_any), in_replaced = greatest(g.in_replaced, excluded.in_replaced),
  at_any = greatest(g.at_any, excluded.at_any), at_replaced = greatest(g.at_replaced, excluded.at_replaced),
  in_call = CASE WHEN excluded.in_any > g.in_any THEN excluded.in_call ELSE g.in_call END,
  in_partition = CASE WHEN excluded.in_any > g.in_any THEN excluded.in_partition ELSE g.in_partition END,
  at_call = CASE WHEN excluded.at_any > g.at_any THEN excluded.at_call ELSE g.at_call END,
  at_partition = CASE WHEN excluded.at_any > g.at_any THEN excluded.at_partition ELSE g.at_partition END`;
