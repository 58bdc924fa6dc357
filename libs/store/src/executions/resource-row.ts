import type { ClaimedResources } from '@countersign/contracts';

/** One name that a write acts on, or a prefix of such a name. */
export interface ResourceTouch {
  /** HMAC of the name, a UUID's text. */
  resource: string;
  /** True: the write acts on exactly this name. False: on a name below it. */
  exact: boolean;
  /** The strongest effect of the write on this name or below it. */
  replaces: boolean;
}

const EXACT = 1;
const REPLACES = 2;

/** `flags` as the tables keep them. */
export const touchFlags = ({ exact, replaces }: Pick<ResourceTouch, 'exact' | 'replaces'>): number =>
  (exact ? EXACT : 0) + (replaces ? REPLACES : 0);

/** The text of a row: `{"generation", "settle_ms", "touched": [[resource, flags, seen], …]}`. SQL reads and writes the same form. */
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
