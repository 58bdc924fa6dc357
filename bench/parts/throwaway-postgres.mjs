// A Postgres of its own for the floor: a fresh cluster, fsync and synchronous_commit on, loopback only.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { freePort, start, stop, until } from './children.mjs';

function binaries() {
  const given = process.env.COUNTERSIGN_POSTGRES_BIN;
  const root = '/usr/lib/postgresql';
  const found =
    given ??
    (existsSync(root)
      ? readdirSync(root)
          .sort()
          .map((version) => `${root}/${version}/bin`)
          .at(-1)
      : undefined);
  if (!found || !existsSync(`${found}/initdb`)) {
    throw new Error('the floor needs PostgreSQL: apt-get install postgresql-15, or set COUNTERSIGN_POSTGRES_BIN; or run with --no-floor');
  }
  return found;
}

/** Postgres refuses root. */
function unprivileged() {
  if (process.getuid?.() !== 0) return {};
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres']));
  return { uid: id('-u'), gid: id('-g') };
}

export async function startPostgres(dir) {
  const bin = binaries();
  const who = unprivileged();
  const data = path.join(dir, 'floor-postgres');
  mkdirSync(data, { mode: 0o700 });
  if (who.uid !== undefined) {
    chownSync(data, who.uid, who.gid);
    chmodSync(dir, 0o755);
  }
  execFileSync(`${bin}/initdb`, ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C'], {
    ...who,
    cwd: '/',
    stdio: 'ignore',
  });
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 50,
    fsync: 'on',
    synchronous_commit: 'on',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const part = start('floor-postgres', `${bin}/postgres`, ['-D', data, ...args], { dir, cwd: '/', ...who });
  const url = `postgres://bench@127.0.0.1:${port}/postgres`;
  await until(part, 'answering', async () => {
    const client = new pg.Client(url);
    await client.connect();
    await client.end();
    return true;
  });
  return { url, pid: part.child.pid, stop: () => stop(part, 'SIGINT') };
}
