import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packs } from '@countersign/executor/packs';
import { type GatewayConfig, parseGatewayConfig } from '@countersign/gateway/config';
import type { ParsedConfig, PlatformConfig } from '@countersign/process';
import { parsePlatformConfig } from '@countersign/process/platform-config';
import { describe, expect, test } from 'vitest';

const read = (file: string) => readFileSync(file, 'utf8');
const compose = read('docker-compose.yml');
const dockerfile = read('Dockerfile');
/** Where each process reads its environment. */
const readers = [
  'libs/process/src/kafka-config.ts',
  'libs/process/src/platform-config.ts',
  'libs/process/src/run-service.ts',
  ...readdirSync('apps')
    .map((app) => `apps/${app}/src/config.ts`)
    .filter((config) => existsSync(config)),
  'packs/demo/src/fake-system.ts',
  'packs/workspace/src/index.ts',
  'packs/patterns/src/records.ts',
];
const known = readers.map(read).join('\n');

/** Variables that the containers of our services are given. */
const given = [...new Set(compose.match(/(?<=[\s{])COUNTERSIGN_[A-Z_]+(?=:)/g))];
/** Ports on the host. */
const published = /^COUNTERSIGN_(KAFKA|REGISTRY|POSTGRES|REDIS)_PORT$/;

const services = ['gateway', 'policy', 'executor', 'orchestrator', 'projector'];
/** What docker-compose.yml says of one service. */
const section = (name: string) => new RegExp(`\\n  ${name}:\\n((?: {4}.*\\n)+)`).exec(compose)?.[1] ?? '';
/** The folders of a service's container that are volumes. */
const mounts = (name: string) => [...section(name).matchAll(/"[a-z]+:(\/[a-z/]+)"/g)].map(([, folder]) => folder as string);
/** A value of docker-compose.yml where the shell that starts it sets no variable. */
const unset = (value: string): string => {
  const next = value.replace(/\$\{[A-Z_]+:-([^${}]*)\}/g, '$1');
  return next === value ? value : unset(next);
};
const settingOf = (name: string, variable: string) => unset(new RegExp(` ${variable}: (.+)`).exec(section(name))?.[1] ?? '');

describe('docker-compose.yml', () => {
  test('gives our services only variables that they read', () => {
    expect(given.length).toBeGreaterThan(8);
    expect(given.filter((name) => !published.test(name) && !known.includes(name))).toEqual([]);
  });

  test('starts what the build makes', () => {
    const commands = [...compose.matchAll(/\["node", "(apps\/[a-z]+\/)dist\/main\.js"\]/g)].map(([, app]) => app);
    expect(commands).toEqual(services.map((app) => `apps/${app}/`));
    for (const app of commands) expect(read(`${app}src/main.ts`)).toContain('runService');
  });

  test('lets the services share what one of them writes and another reads: blobs, and the tiles of the record', () => {
    const sharedBy = (folder: string) => services.filter((app) => section(app).includes(`${folder}:/data/${folder}`));
    expect(sharedBy('blobs')).toEqual(['gateway', 'executor']);
    expect(sharedBy('audit')).toEqual(['gateway', 'projector']);
    for (const folder of ['blobs', 'audit']) {
      expect(dockerfile).toContain(`/data/${folder}`);
      expect(compose).toContain(`\n  ${folder}: {}\n`);
    }
  });

  test("keeps the log on the broker's volume: the image's own log.dirs lie elsewhere", () => {
    expect(mounts('kafka')).toHaveLength(1);
    expect(mounts('kafka')).toEqual([settingOf('kafka', 'KAFKA_LOG_DIRS')]);
  });

  test('links to decide lead to where the gateway is published', () => {
    const [, address] = /ports: \["([^"]+):7070"\]/.exec(section('gateway')) ?? [];
    expect(settingOf('gateway', 'COUNTERSIGN_PUBLIC_URL')).toBe(`http://${unset(String(address))}`);
  });
});

describe('Dockerfile', () => {
  const [, assignments = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile) ?? [];
  const env = Object.fromEntries(assignments.split(/[\s\\]+/).map((each) => each.split('=') as [string, string]));
  const owned = /chown -R node:node (.+)$/m.exec(dockerfile)?.[1]?.split(' ') ?? [];
  const notOwned = (folders: readonly string[]) => folders.filter((folder) => !owned.some((root) => `${folder}/`.startsWith(`${root}/`)));
  const configOf = <T>(parsed: ParsedConfig<T>): T => {
    if ('faults' in parsed) throw new Error(parsed.faults.join('\n'));
    return parsed.config;
  };
  const platform: PlatformConfig = configOf(parsePlatformConfig(env));
  const gateway: GatewayConfig = configOf(parseGatewayConfig(env, platform));

  /** For Node libraries and glibc, not for a service. */
  const outside = ['NODE_ENV', 'MALLOC_ARENA_MAX'];

  test('sets only variables that the services read, and runs as a user without rights', () => {
    expect(Object.keys(env).filter((name) => !outside.includes(name) && !known.includes(name))).toEqual([]);
    expect(dockerfile).toContain('\nUSER node\n');
  });

  test('everything that is written by default is in a folder of that user; so is every volume of compose', () => {
    const settings = packs.flatMap((pack) => Object.entries(pack.settings ?? {})).filter(([, fallback]) => fallback?.startsWith('./'));
    const folders = settings.map(([name, fallback]) => path.resolve(env[name] ?? String(fallback)));
    expect(folders.length).toBeGreaterThan(2);
    expect(notOwned([platform.data_dir, ...folders])).toEqual([]);
    expect(services.flatMap(mounts).length).toBeGreaterThan(5);
    expect(notOwned(services.flatMap(mounts))).toEqual([]);
  });

  test('the gateway is reached from outside of the container, on the exposed port, and links lead there', () => {
    expect(gateway.host).toBe('0.0.0.0');
    expect(dockerfile).toContain(`\nEXPOSE ${gateway.port}\n`);
    expect(gateway.public_url).toBe(`http://127.0.0.1:${gateway.port}`);
    expect(section('gateway')).toContain(`:${gateway.port}"]`);
  });

  test('its command is what `npm start` runs', () => {
    const [, command = '[]'] = /^CMD (.+)$/m.exec(dockerfile) ?? [];
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
    expect(scripts.start.split('; ').at(-1)).toBe(
      `tsc -b && node scripts/console.mjs && exec env MALLOC_ARENA_MAX=${env.MALLOC_ARENA_MAX} ${(JSON.parse(command) as string[]).join(' ')}`,
    );
  });
});

test('containers for tests have the logins and the authorizer of scripts/real/kafka.sh', () => {
  const containers = read('scripts/real/containers.yml');
  const [, principals = ''] = /^PRINCIPALS='([^']+)'/m.exec(read('scripts/real/kafka.sh')) ?? [];
  expect(principals.split(' ').length).toBeGreaterThan(5);
  for (const principal of principals.split(' ')) expect(containers).toContain(`user_${principal}="${principal}"`);
  for (const line of read('scripts/real/kafka.sh').matchAll(/^(?:authorizer\.class\.name|super\.users)=(.+)$/gm))
    expect(containers).toContain(line[1]);
  expect(read('scripts/real/containers.mjs')).toContain('COUNTERSIGN_TEST_KAFKA_SASL');
});
