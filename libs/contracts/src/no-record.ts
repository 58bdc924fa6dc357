import type { SourcePosition } from './generated/events.js';

/** The offset that stands for no record. */
export const NO_RECORD_OFFSET = -1;

/** The source of an event that no record of this topic caused, for example a timer. */
export function noRecord(topic: string): SourcePosition {
  return { topic, offset: NO_RECORD_OFFSET };
}
