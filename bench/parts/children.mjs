// Processes of the bench: started with a log file each, ended by pid, never by name.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const running = new Set();

/** Starts a process; its output goes to `<dir>/<name>.log`. */
export function start(name, command, args, { dir, env = process.env, ipc = false, ...options }) {
  const file = path.join(dir, `${name}.log`);
  const log = openSync(file, 'a');
  const child = spawn(command, args, { stdio: ['ignore', log, log, ...(ipc ? ['ipc'] : [])], env, ...options });
  const part = { name, child, file, ended: undefined };
  running.add(part);
  const exited = (why) => {
    part.ended ??= String(why);
    running.delete(part);
  };
  child.on('exit', (code, signal) => exited(code ?? signal));
  child.on('error', exited);
  return part;
}

/** @throws with the end of its log where the process ended by itself. */
export function assertAlive({ name, ended, file }) {
  if (ended !== undefined) throw new Error(`${name} ended (${ended}):\n${readFileSync(file, 'utf8').slice(-2000)}`);
}

let asked = 0;

/** Sends a request to a part with a channel. @returns its result; @throws what it reports, or that it ended */
export function ask({ name, child, file }, request) {
  const id = ++asked;
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`${name} ended; see ${file}`));
    const answer = (message) => {
      if (message.id !== id) return;
      child.off('message', answer);
      child.off('exit', ended);
      if (message.fault) reject(new Error(message.fault));
      else resolve(message.result);
    };
    child.on('message', answer);
    child.once('exit', ended);
    child.send({ id, ...request });
  });
}

export async function stop(part, signal = 'SIGTERM') {
  if (!part || part.ended !== undefined) return;
  const exited = new Promise((resolve) => part.child.once('exit', resolve));
  part.child.kill(signal);
  const late = setTimeout(() => part.child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(late);
}

export const stopAll = () => Promise.all([...running].map((part) => stop(part)));

/** Runs a bench that answers its exit code, ends what it started, also on a signal, and keeps the logs in `dir` where it failed. */
export async function runToExitCode(dir, note, bench) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopAll().then(() => process.exit(130)));
  try {
    process.exitCode = await bench();
  } catch (cause) {
    console.error(String(cause?.stack ?? cause));
    process.exitCode = 1;
  } finally {
    await stopAll();
    if (process.exitCode === 0) rmSync(dir, { recursive: true, force: true });
    else note(`logs in ${dir}`);
  }
}

/** Asks until the answer is yes. @throws after `within_ms`, or where the process ended. */
export async function until(part, what, ask, within_ms = 90_000) {
  for (const end = performance.now() + within_ms; performance.now() < end; await sleep(20)) {
    assertAlive(part);
    if (await Promise.resolve(ask()).catch(() => false)) return;
  }
  throw new Error(`${part.name} is not ${what} after ${within_ms} ms; see ${part.file}`);
}

/** A loopback port that was free a moment ago, from below those that Linux gives to outgoing connections. */
export async function freePort() {
  for (let tried = 0; tried < 50; tried++) {
    const port = randomInt(20_000, 32_768);
    if (await isFree(port)) return port;
  }
  throw new Error('none of 50 ports is free');
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
