import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { ChildHost } from './child-host.js';
import { FrameReader, FrameWriter } from './frames.js';
import { CHANNEL_FD, PROTOCOL_VERSION, type ToChild } from './protocol.js';

/** Ends this process and every process that it started, so that none outlives its executor. */
function end(): void {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}

const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
const writer = new FrameWriter(channel);
const reader = new FrameReader();
const host = new ChildHost((json) => writer.write(json));
channel.on('data', (bytes: Buffer) => {
  for (const message of reader.take(bytes) as ToChild[]) host.take(message);
});
channel.on('end', end).on('close', end).on('error', end);
// A tool that blocks the thread hides that the channel closed, so a separate thread watches the executor.
const watch = new Worker(new URL('./watch-parent.js', import.meta.url), { workerData: { parent_pid: process.ppid } });
watch.unref();
// A terminal signal that stops the executor must not stop running calls here.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
writer.write(JSON.stringify({ kind: 'hello', protocol: PROTOCOL_VERSION }));
