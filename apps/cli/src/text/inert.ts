/** Makes text of a bundle or log safe for a terminal. */
export const inert = (text: string): string => text.replace(/[^\x20-\x7e\u00a0-\ud7ff]/gu, '?').slice(0, 400);

/** Formats the time of a record, even if it is invalid. */
export const timeText = (ms: number): string =>
  Number.isFinite(ms) && Math.abs(ms) < 8e15 ? new Date(ms).toISOString() : 'an unknown time';
