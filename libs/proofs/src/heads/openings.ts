import { leafIndex, type RecordToCover } from '@countersign/verifier';
import { isIncluded } from '../merkle/verify.js';
import { recordHash } from '../record/record-leaf.js';
import { baseOf, endOf, generationNumber, headName, type TreeHead, type TreePlace } from '../record/tree-heads.js';

/** The tree of the partition with the decisions. */
export const DECISIONS: TreePlace = { topic: 'configuration-changed', partition: 0 };

/** A tree that a decision allows to be opened, and the last signed head of the tree that it freezes. */
export interface OpenedTree {
  topic: string;
  partition: number;
  /** 2 or more. */
  generation: number;
  base_offset: number;
  frozen_size: number;
  /** Base64. */
  frozen_root: string;
}

/** The content of a `damage_accepted`. */
export interface Decision {
  event_id: string;
  opened: readonly OpenedTree[];
  by: string;
  reason: string;
  accepted_at_ms: number;
}

/** A record with a decision, and its path in the tree of its partition at this entry. */
export interface ProvenDecision {
  record: RecordToCover;
  path: readonly Buffer[];
  decision: Decision;
}

/** A generation opened by an entry, with the frozen tree and the decision. */
export interface Opening {
  opened: TreeHead;
  frozen: TreeHead;
  decision: Decision;
}

/** The heads at the previous entry. */
export interface HeadsBefore {
  head(tree: TreePlace & Pick<TreeHead, 'generation'>): TreeHead | undefined;
  /** The growing tree of a partition. */
  newest(place: TreePlace): TreeHead | undefined;
}

/**
 * The generations that an entry opens, or the reason why it may not. A generation follows the newest one, starts no later than the end of
 * that one, and is opened in the first entry that covers its decision. The decision names both trees exactly. A frozen tree never changes
 * again. `strangeMove` checks separately that trees only grew.
 */
export function openingsIn(
  before: HeadsBefore,
  moved: readonly TreeHead[],
  decisions: readonly ProvenDecision[],
): readonly Opening[] | string {
  const openings: Opening[] = [];
  for (const head of moved) {
    const newest = before.newest(head);
    const known = before.head(head);
    const fault = known ? strangeGeneration(known, head, newest) : undefined;
    if (fault !== undefined) return `${headName(head)} ${fault}`;
    if (known || (!newest && !head.generation)) continue;
    const opening = openingOf(head, newest, decisions);
    if (typeof opening === 'string') return `${headName(head)} ${opening}`;
    openings.push(opening);
  }
  if (openings.length === 0) return openings;
  return strangeFreeze(openings, moved) ?? strangeDecision(openings, before, moved, decisions) ?? openings;
}

function strangeGeneration(known: TreeHead, head: TreeHead, newest: TreeHead | undefined): string | undefined {
  if (newest && generationNumber(newest) > generationNumber(known))
    return `is frozen with ${known.size} records since ${headName(newest)} was opened, and may not move`;
  const isSame = baseOf(known) === baseOf(head) && known.generation?.decision === head.generation?.decision;
  return isSame ? undefined : 'has a different base offset or decision than before';
}

function openingOf(head: TreeHead, frozen: TreeHead | undefined, decisions: readonly ProvenDecision[]): Opening | string {
  const { generation } = head;
  if (!generation) return 'is the original tree of its partition and comes after a later one';
  if (!frozen || generationNumber(frozen) !== generation.number - 1) return 'does not follow the newest tree of its partition';
  const found = decisions.find(({ decision }) => decision.event_id === generation.decision);
  if (!found) return `is opened without a decision on the record: ${generation.decision} is not shown`;
  const { decision } = found;
  const named = decision.opened.find(
    ({ topic, partition, generation: number }) => topic === head.topic && partition === head.partition && number === generation.number,
  );
  if (!named) return `is not among the trees that decision ${decision.event_id} allows to be opened`;
  if (named.base_offset !== generation.base_offset)
    return `begins at offset ${generation.base_offset}, and decision ${decision.event_id} says ${named.base_offset}`;
  if (named.frozen_size !== frozen.size || named.frozen_root !== frozen.root.toString('base64'))
    return `freezes ${headName(frozen)} with ${frozen.size} records, and decision ${decision.event_id} has another head of it`;
  if (generation.base_offset < 0 || generation.base_offset > endOf(frozen))
    return `begins at offset ${generation.base_offset}: records from ${endOf(frozen)} on would be in no tree`;
  return { opened: head, frozen, decision };
}

/** A tree is frozen at its head in the previous entry: it must not move in the same entry. */
function strangeFreeze(openings: readonly Opening[], moved: readonly TreeHead[]): string | undefined {
  const names = new Set(moved.map(headName));
  const grown = openings.find(({ frozen }) => names.has(headName(frozen)));
  return grown && `${headName(grown.frozen)} moves and is frozen at the same time`;
}

/** Why the recorded decisions are invalid: each must be covered by this entry and by no earlier one. */
function strangeDecision(
  openings: readonly Opening[],
  before: HeadsBefore,
  moved: readonly TreeHead[],
  decisions: readonly ProvenDecision[],
): string | undefined {
  const used = new Set(openings.map(({ decision }) => decision.event_id));
  const known = before.newest(DECISIONS);
  const now = newestAmong(moved) ?? known;
  for (const { record, path, decision } of decisions.filter((each) => used.has(each.decision.event_id))) {
    const { event_id } = decision;
    if (!now || record.topic !== DECISIONS.topic || record.partition !== DECISIONS.partition)
      return `decision ${event_id} is not a record of ${headName(DECISIONS)}`;
    if (known && generationNumber(known) === generationNumber(now) && record.offset < endOf(known))
      return `decision ${event_id} was covered by an earlier entry and can no longer open a tree`;
    if (!isIncluded(recordHash(record), leafIndex(now, record.offset), now, path))
      return `decision ${event_id} is not the record ${record.offset} of ${headName(now)}`;
  }
  return undefined;
}

function newestAmong(moved: readonly TreeHead[]): TreeHead | undefined {
  const own = moved.filter(({ topic, partition }) => topic === DECISIONS.topic && partition === DECISIONS.partition);
  return own.sort((a, b) => generationNumber(b) - generationNumber(a))[0];
}
