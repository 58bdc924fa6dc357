const WIDTH = 30;

function duration(ms: number): string {
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  return s < 3600 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

/** A progress bar, the share done, and the estimated rest at the pace so far. `elapsed_ms`: since the start; null if unknown. */
export function progressLine(done: number, total: number, elapsed_ms: number | null): string {
  const part = total > 0 ? Math.min(1, done / total) : 0;
  const bar = '#'.repeat(Math.floor(part * WIDTH)).padEnd(WIDTH, '.');
  const pace = elapsed_ms !== null && elapsed_ms > 0 ? (done / elapsed_ms) * 1000 : 0;
  const rest = pace > 0 ? `, ${Math.round(pace)}/s, ${duration(((total - done) / pace) * 1000)} left` : '';
  return `[${bar}] ${(part * 100).toFixed(1).padStart(5)} %  ${done} of ${total} records${rest}`;
}

/** On a terminal one line that is overwritten; otherwise a line for each change. */
export function showProgress(line: string, before: string): void {
  if (line === before) return;
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
  else if (line !== '') process.stderr.write(`${line}\n`);
}
