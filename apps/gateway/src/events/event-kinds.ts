/** What an event of a tenant is about. */
export const eventKinds = [
  ...(['call', 'case', 'approval', 'saga', 'ticket', 'tool', 'configuration', 'security', 'dead_letter', 'damage'] as const),
] as const;
export type EventKind = (typeof eventKinds)[number];
