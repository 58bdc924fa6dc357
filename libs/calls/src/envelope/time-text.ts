/** The second of the newest text, and the text of its date: times of a call are mostly of one second. */
const newest = { second: Number.NaN, front: '' };

/** Epoch ms as ISO 8601 in UTC: `toISOString`, at a third of its cost. */
export function timeText(ms: number): string {
  if (!Number.isInteger(ms)) return new Date(ms).toISOString();
  const second = Math.floor(ms / 1000);
  const rest = ms - second * 1000;
  if (second !== newest.second) {
    newest.front = new Date(ms).toISOString().slice(0, -4);
    newest.second = second;
  }
  return `${newest.front}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`;
}
