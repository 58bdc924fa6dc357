import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Attempt } from '../hermes/port.js';
import { checkNotAborted } from '../hermes/refusal.js';

const LOOK_MS = 5;

/** The writers of this process, one after the other. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Runs `work` as the only writer of a folder: of this process, and on Linux of the machine. The name of an abstract socket is held by one
 * process, and the kernel frees it when that process ends, however it ends.
 */
export async function asOnlyWriter<T>(folder: string, attempt: Attempt, work: () => Promise<T>): Promise<T> {
  const before = queues.get(folder) ?? Promise.resolve();
  const turn = before.then(() => holdingName(folder, attempt, work));
  const settled = turn.catch(() => undefined);
  queues.set(folder, settled);
  try {
    return await turn;
  } finally {
    if (queues.get(folder) === settled) queues.delete(folder);
  }
}

async function holdingName<T>(folder: string, attempt: Attempt, work: () => Promise<T>): Promise<T> {
  const server = process.platform === 'linux' ? await holder(folder, attempt) : undefined;
  try {
    checkNotAborted(attempt);
    return await work();
  } finally {
    if (server) {
      server.close();
      await once(server, 'close');
    }
  }
}

async function holder(folder: string, attempt: Attempt): Promise<Server> {
  const name = `\0countersign-ledger-${createHash('sha256').update(folder).digest('hex')}`;
  for (;;) {
    checkNotAborted(attempt);
    const server = createServer((socket) => socket.destroy());
    const bound = once(server, 'listening').then(
      () => true,
      (error: { code?: string }) => {
        if (error.code === 'EADDRINUSE') return false;
        throw error;
      },
    );
    server.listen({ path: name });
    if (await bound) return server;
    await setTimeout(LOOK_MS);
  }
}
