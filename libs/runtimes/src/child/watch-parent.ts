import { workerData } from 'node:worker_threads';

const PAUSE_MS = 250;
const { parent_pid } = workerData as { parent_pid: number };

// Whoever has no parent of its own any more is given another one.
setInterval(() => {
  if (process.ppid === parent_pid) return;
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}, PAUSE_MS);
