/** Text of a bundle or of a log, made harmless for a terminal. */
export const inert = (text: string): string => text.replace(/[^\x20-\x7e\u00a0-\ud7ff]/gu, '?').slice(0, 400);

/** A time of a record, whatever it says. */
export const timeText = (ms: number): string =>
  Number.isFinite(ms) && Math.abs(ms) < 8e15 ? new Date(ms).toISOString() : 'an unknown time';
