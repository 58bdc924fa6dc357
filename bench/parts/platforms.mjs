// What is measured: the floor, and the product embedded or on Kafka. Each target is {name, url, token, groups, stop(), ...}.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, start, stop, stopAll, until } from './children.mjs';
import { startPostgres } from './throwaway-postgres.mjs';
import { listener } from './usage.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const node = process.execPath;
const ready = (url) => async () => (await fetch(url)).status === 200;

export async function startFloor(dir) {
  const postgres = await startPostgres(dir);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, NODE_ENV: 'production', FLOOR_PORT: String(port), FLOOR_DATABASE_URL: postgres.url };
  const app = start('floor', node, [path.join(root, 'bench/floor.mjs')], { dir, env });
  await until(app, 'answering', ready(url));
  const stopBoth = async () => {
    await stop(app);
    await postgres.stop();
  };
  return { name: 'floor', url, groups: { floor: [app.child.pid], postgres: [postgres.pid] }, stop: stopBoth };
}

/** A key of an agent, from the admin key that the first start left in the data directory. */
async function agentToken(url, data) {
  const admin = readFileSync(path.join(data, 'admin.key'), 'utf8').trim();
  const response = await fetch(`${url}/v1/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${admin}` },
    body: JSON.stringify({ tenant_id: 'default', principal: { kind: 'agent', id: 'bench', roles: ['agent'] } }),
  });
  if (!response.ok) throw new Error(`no agent key: ${response.status} ${await response.text()}`);
  return (await response.json()).key;
}

function common(dir, port) {
  mkdirSync(path.join(dir, 'workspace'), { recursive: true });
  return {
    ...process.env,
    NODE_ENV: 'production',
    COUNTERSIGN_PORT: String(port),
    COUNTERSIGN_DATA_DIR: path.join(dir, 'data'),
    COUNTERSIGN_WORKSPACE_ROOT: path.join(dir, 'workspace'),
    COUNTERSIGN_PACKS: 'probe',
  };
}

/** What `npm start` gives to node. A larger young generation: collecting cost 18 % of the main thread, now 8 %. A bound on the
 *  old one: V8 lets it grow to four times what lives there, 175 MiB more, unless the bound is below 2 GiB. */
const NODE_OPTIONS = ['--max-old-space-size=1024', '--max-semi-space-size=64'];
/** Also what `npm start` gives. glibc gives each thread its own malloc arenas; read buffers fragment them: up to 100 MiB. */
const MALLOC = { MALLOC_ARENA_MAX: '2' };

/**
 * The standalone process. `args`: further options of node (a profiler). `env`: settings instead of those of all benches. `built`: the
 * checkout whose build runs.
 */
export async function startEmbedded(dir, args = [], env = {}, built = root) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const open = async () => {
    const began = performance.now();
    const app = start('standalone', node, [...NODE_OPTIONS, ...args, path.join(built, 'apps/standalone/dist/main.js')], {
      dir,
      cwd: dir,
      env: { ...common(dir, port), ...MALLOC, ...env },
    });
    await until(app, 'ready', ready(`${url}/readyz`));
    return { app, secs: (performance.now() - began) / 1000 };
  };
  let { app, secs } = await open();
  const target = {
    name: 'embedded',
    url,
    token: await agentToken(url, path.join(dir, 'data')),
    admin: readFileSync(path.join(dir, 'data', 'admin.key'), 'utf8').trim(),
    metrics: [`${url}/metrics`],
    start_secs: secs,
  };
  Object.assign(target, {
    groups: { standalone: [app.child.pid] },
    stop: () => stop(app),
    restart: async () => {
      await stop(app);
      ({ app, secs } = await open());
      target.groups = { standalone: [app.child.pid] };
      return secs;
    },
  });
  return target;
}

/** Broker, registry, Postgres and Redis: those of the test environment, or the bench's own, started by scripts/real and ended again. */
function realParts(dir) {
  if (process.env.COUNTERSIGN_TEST_KAFKA) return { addresses: process.env, down: () => undefined };
  const env = { COUNTERSIGN_REAL_PORT: '19500', ...process.env, COUNTERSIGN_REAL_DIR: path.join(dir, 'real') };
  const script = (name) =>
    execFileSync('bash', [path.join(root, 'scripts/real', name)], { env, stdio: ['ignore', 'pipe', 'inherit'] }).toString();
  const addresses = Object.fromEntries([...script('up.sh').matchAll(/(COUNTERSIGN_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
  return { addresses, down: () => script('down.sh') };
}

async function ownDatabase(url, name) {
  const { default: pg } = await import('pg');
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

/** The parts' processes, where they are on this machine: they share its cores with the services. */
function partGroups({ COUNTERSIGN_TEST_KAFKA, COUNTERSIGN_TEST_DATABASE_URL, COUNTERSIGN_TEST_REDIS_URL }) {
  const ports = {
    broker: COUNTERSIGN_TEST_KAFKA.split(',')[0].split(':').at(-1),
    postgres: new URL(COUNTERSIGN_TEST_DATABASE_URL).port,
    redis: new URL(COUNTERSIGN_TEST_REDIS_URL).port,
  };
  const found = Object.entries(ports).map(([name, port]) => [name, listener(port)]);
  return Object.fromEntries(found.filter(([, pid]) => pid !== undefined).map(([name, pid]) => [name, [pid]]));
}

/** The services that calls need, as processes of their own, on real parts. */
export async function startKafka(dir) {
  const { addresses, down } = realParts(dir);
  try {
    return await startServices(dir, addresses, down);
  } catch (cause) {
    await stopAll();
    down();
    throw cause;
  }
}

async function startServices(dir, parts, down) {
  const name = `bench_${randomBytes(5).toString('hex')}`;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...common(dir, port),
    COUNTERSIGN_KAFKA_BROKERS: parts.COUNTERSIGN_TEST_KAFKA,
    COUNTERSIGN_SCHEMA_REGISTRY_URL: parts.COUNTERSIGN_TEST_REGISTRY,
    COUNTERSIGN_DATABASE_URL: await ownDatabase(parts.COUNTERSIGN_TEST_DATABASE_URL, name),
    COUNTERSIGN_REDIS_URL: parts.COUNTERSIGN_TEST_REDIS_URL,
    COUNTERSIGN_TOPIC_PREFIX: `${name}-`,
    COUNTERSIGN_MASTER_KEY: randomBytes(32).toString('base64'),
  };
  const began = performance.now();
  const services = {};
  for (const app of ['policy', 'projector', 'executor', 'gateway']) {
    const health = app === 'gateway' ? port : await freePort();
    const part = start(app, node, [path.join(root, `apps/${app}/dist/main.js`)], {
      dir,
      env: { ...env, COUNTERSIGN_HEALTH_PORT: String(health) },
    });
    services[app] = { part, health: `http://127.0.0.1:${health}` };
  }
  await Promise.all(Object.values(services).map(({ part, health }) => until(part, 'ready', ready(`${health}/readyz`))));
  const start_secs = (performance.now() - began) / 1000;
  await sleep(1000);
  return {
    name: 'kafka',
    url,
    token: await agentToken(url, path.join(dir, 'data')),
    metrics: [`${services.projector.health}/metrics`],
    start_secs,
    groups: { ...Object.fromEntries(Object.entries(services).map(([app, { part }]) => [app, [part.child.pid]])), ...partGroups(parts) },
    stop: async () => {
      await Promise.all(Object.values(services).map(({ part }) => stop(part)));
      down();
    },
  };
}

/** Records that the views do not show yet; endless where the log did not say. */
export async function projectorLag(target) {
  let lag = 0;
  for (const url of target.metrics) {
    for (const [, value] of (await (await fetch(url)).text()).matchAll(/^countersign_projector_lag_records\{[^}]*\} (\S+)$/gm))
      lag += Number(value);
  }
  return Number.isNaN(lag) ? Number.POSITIVE_INFINITY : lag;
}
