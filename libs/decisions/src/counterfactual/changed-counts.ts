import type { HistoryUses } from '@countersign/policy';

/** Counts by name, nested to any depth. */
export type Tree = { [name: string]: number | Tree };

/**
 * The reported counts minus some calls plus others. Undefined if a count would be negative: the report then did not include those calls.
 * Tools without remaining calls that no rule names are omitted, and so are flags without calls.
 */
export function changedCounts<T>(reported: T, less: unknown, more: unknown, { tools }: HistoryUses): T | undefined {
  const changed = summed(summed(reported as Tree, less as Tree, -1), more as Tree, 1);
  return isNegative(changed) ? undefined : (without(changed, tools) as T);
}

function summed(a: Tree, b: Tree, sign: 1 | -1): Tree {
  const sum: Tree = {};
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [one, other] = [a[name], b[name]];
    if (typeof one === 'object' || typeof other === 'object') sum[name] = summed((one ?? {}) as Tree, (other ?? {}) as Tree, sign);
    else sum[name] = (one ?? 0) + sign * (other ?? 0);
  }
  return sum;
}

const isNegative = (tree: Tree): boolean =>
  Object.values(tree).some((value) => (typeof value === 'object' ? isNegative(value) : value < 0));

/** @param of the name of the tree in the one above it */
function without(tree: Tree, named: ReadonlySet<string>, of = ''): Tree {
  const kept: Tree = {};
  const of_tools = of === 'tools';
  for (const [name, value] of Object.entries(tree)) {
    if (typeof value === 'number') {
      if (value !== 0 || of !== 'flags') kept[name] = value;
    } else if (!of_tools || named.has(name) || Object.values(value).some((count) => count !== 0))
      kept[name] = without(value, named, of_tools ? '' : name);
  }
  return kept;
}
