import { DECISIONS, endOf, generationNumber, headName, newestHead, type OpenedTree, type TreeHead } from '@countersign/proofs';

/** A `damage_accepted` that allows trees to be opened, with its offset on `configuration-changed`. */
export interface OpeningDecision {
  event_id: string;
  offset: number;
  opened: readonly OpenedTree[];
}

/** A tree that may be opened, with its decision. */
export interface PendingOpening {
  decision: OpeningDecision;
  tree: OpenedTree;
}

/**
 * The openings that the next entry may contain, by the name of the tree that they freeze. A decision has no effect once an entry covers it,
 * or once the tree to freeze has changed. Of two decisions about a tree the later one counts.
 */
export function pendingOpenings(decisions: readonly OpeningDecision[], growing: readonly TreeHead[]): Map<string, PendingOpening> {
  const settings = newestHead(growing, DECISIONS);
  const reopened = settings && latest(decisions, settings, ({ base_offset }) => base_offset);
  const uncovered = reopened?.tree.base_offset ?? (settings ? endOf(settings) : 0);
  const pending = new Map<string, PendingOpening>();
  for (const head of growing) {
    const found = latest(decisions, head, () => uncovered);
    if (found) pending.set(headName(head), found);
  }
  return pending;
}

function latest(
  decisions: readonly OpeningDecision[],
  head: TreeHead,
  uncovered: (tree: OpenedTree) => number,
): PendingOpening | undefined {
  const found = decisions.flatMap((decision): PendingOpening[] => {
    const tree = decision.opened.find((each) => isAfter(each, head));
    return tree && decision.offset >= uncovered(tree) ? [{ decision, tree }] : [];
  });
  return found.sort((a, b) => b.decision.offset - a.decision.offset)[0];
}

function isAfter(tree: OpenedTree, head: TreeHead): boolean {
  return (
    tree.topic === head.topic &&
    tree.partition === head.partition &&
    tree.generation === generationNumber(head) + 1 &&
    tree.frozen_size === head.size &&
    tree.frozen_root === head.root.toString('base64') &&
    tree.base_offset <= endOf(head)
  );
}
