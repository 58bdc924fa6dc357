import type { SourcePosition } from './generated/events.js';

/** On the log: the offset of no record. */
export const NO_RECORD_OFFSET = -1;

/** The source of an event that follows from no record of this topic, as a turn of the clock does. */
export function noRecord(topic: string): SourcePosition {
  return { topic, offset: NO_RECORD_OFFSET };
}
