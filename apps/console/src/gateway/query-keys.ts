/** What the live stream reports changes of; `other` is what it does not report. */
export type Kind =
  | 'call'
  | 'case'
  | 'approval'
  | 'saga'
  | 'ticket'
  | 'tool'
  | 'configuration'
  | 'security'
  | 'dead_letter'
  | 'damage'
  | 'other';

/** `[kind, id or 'list', …what else the answer depends on]`. */
export type QueryKey = readonly [kind: Kind, id: string, ...rest: unknown[]];

/** What may have changed: everything of a kind, or one item and the lists of its kind. */
export interface Change {
  kind: Kind;
  id?: string;
}

/** Whether an answer under this key may be out of date after a change. `also`: further kinds that the answer shows. */
export function isChanged([kind, id]: QueryKey, also: readonly Kind[] | undefined, change: Change): boolean {
  if (also?.includes(change.kind)) return true;
  return kind === change.kind && (change.id === undefined || id === 'list' || id === change.id || isVersionOf(change.id, id));
}

/** A change of a tool names its version (`refund_payment@1.2.0`): the page of the tool shows it. */
const isVersionOf = (changed: string, id: string): boolean => changed.startsWith(`${id}@`);
