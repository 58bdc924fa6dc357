import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';

const PAUSE_MS = 250;
const { parent_pid } = workerData as { parent_pid: number };

// A process that loses its parent gets another one.
while (process.ppid === parent_pid) await sleep(PAUSE_MS);
try {
  process.kill(-process.pid, 'SIGKILL');
} catch {
  process.kill(process.pid, 'SIGKILL');
}
