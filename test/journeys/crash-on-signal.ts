import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a platform: on SIGUSR2 it arms the crash point that the file COUNTERSIGN_TEST_CRASH_FILE names, and says so on stderr. So one
 * start serves what was before the crash and what is after the crash before it.
 */
const file = process.env.COUNTERSIGN_TEST_CRASH_FILE;
if (file && isMainThread) {
  const { armCrashPoint } = await import('@countersign/contracts');
  process.on('SIGUSR2', () => {
    const point = readFileSync(file, 'utf8');
    armCrashPoint(point);
    process.stderr.write(`armed: ${point}\n`);
  });
}
