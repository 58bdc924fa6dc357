import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

const NAME = /^writer-[0-9a-f-]{36}\.sock$/;
const ANSWER_MS = 500;
const TRIES = 12;

/** Another process holds the directory; the message is one line for the operator. */
export class DirectoryLocked extends Error {}

/**
 * Allows one writer for each directory, by a listening unix socket in it. The kernel closes the socket however its process ends (also
 * kill -9), and a reused pid has no effect. The lock works across containers that share a volume, where a pid, a start time or an
 * abstract socket name is meaningless. Each process first creates its own socket, under a name that is never reused and that appears only
 * once it listens, and then looks for others: of two processes the later one sees the earlier. A socket that does not listen is
 * permanently dead, so removing it cannot race.
 */
export class DirectoryLock {
  #held = false;

  private constructor(
    private readonly directory: FileHandle,
    private readonly dir: string,
    private readonly name: string,
    private readonly server: Server,
  ) {}

  /** @throws DirectoryLocked if another process holds the directory */
  static async acquire(dir: string): Promise<DirectoryLock> {
    for (let left = TRIES; ; left--) {
      const lock = await DirectoryLock.#stand(dir);
      const other = await lock.#other();
      if (other === null) {
        lock.#held = true;
        return lock;
      }
      await lock.release();
      if (other.held || left === 0) throw new DirectoryLocked(`the log in ${dir} is in use by ${other.owner}`);
      await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 90));
    }
  }

  async release(): Promise<void> {
    await rm(join(this.dir, this.name), { force: true });
    this.server.close();
    await this.directory.close();
  }

  static async #stand(dir: string): Promise<DirectoryLock> {
    const directory = await open(dir, 'r');
    const name = `writer-${randomUUID()}.sock`;
    const server = createServer();
    const lock = new DirectoryLock(directory, dir, name, server);
    server.on('connection', (socket) => {
      socket.on('error', () => socket.destroy());
      socket.end(`${process.pid} ${lock.#held ? 'held' : 'asking'}`);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(lock.#path(`${name}.new`), resolve);
    });
    server.unref();
    await rename(join(dir, `${name}.new`), join(dir, name));
    return lock;
  }

  /** A socket path is limited to about 100 characters, so on Linux the path uses the descriptor of the directory. */
  #path(name: string): string {
    return process.platform === 'linux' ? `/proc/self/fd/${this.directory.fd}/${name}` : join(this.dir, name);
  }

  async #other(): Promise<{ owner: string; held: boolean } | null> {
    for (const name of await readdir(this.dir)) {
      if (!NAME.test(name) || name === this.name) continue;
      const answer = await ask(this.#path(name));
      if (answer === null) await rm(join(this.dir, name), { force: true });
      else return answer;
    }
    return null;
  }
}

/**
 * The process that listens on the socket, or null. A process that accepts the connection but is silent is suspended, not dead: it holds
 * the lock.
 */
function ask(path: string): Promise<{ owner: string; held: boolean } | null> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(path);
    socket.setTimeout(ANSWER_MS, () => {
      socket.destroy();
      resolve({ owner: 'a process that does not respond', held: true });
    });
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    socket.on('end', () => resolve({ owner: `process ${text.split(' ')[0]}`, held: !text.endsWith('asking') }));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(null);
      else if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve({ owner: 'an unknown process', held: false });
      else reject(error);
    });
  });
}
