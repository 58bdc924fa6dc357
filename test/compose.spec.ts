import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

const read = (path: string) => readFileSync(path, 'utf8');
const compose = read('docker-compose.yml');
/** Where each process reads its environment. */
const readers = [
  'libs/process/src/platform-config.ts',
  'libs/process/src/run-service.ts',
  ...readdirSync('apps')
    .map((app) => `apps/${app}/src/config.ts`)
    .filter((config) => existsSync(config)),
  'packs/workspace/src/index.ts',
  'packs/patterns/src/records.ts',
];

/** Variables that the containers of our services are given. */
const given = [...new Set(compose.match(/(?<=[\s{])COUNTERSIGN_[A-Z_]+(?=:)/g))];
/** Ports on the host. */
const published = /^COUNTERSIGN_(KAFKA|REGISTRY|POSTGRES|REDIS)_PORT$/;

describe('docker-compose.yml', () => {
  const known = readers.map(read).join('\n');

  test('gives our services only variables that they read', () => {
    expect(given.length).toBeGreaterThan(8);
    expect(given.filter((name) => !published.test(name) && !known.includes(name))).toEqual([]);
  });

  test('starts what the build makes', () => {
    const commands = [...compose.matchAll(/\["node", "(apps\/[a-z]+\/)dist\/main\.js"\]/g)].map(([, app]) => app);
    expect(commands).toEqual(['apps/gateway/', 'apps/policy/', 'apps/executor/', 'apps/projector/']);
    for (const app of commands) expect(read(`${app}src/main.ts`)).toContain('runService');
  });

  test('lets the services share what one of them writes and another reads: blobs, and the tiles of the record', () => {
    const sharedBy = (folder: string) =>
      ['gateway', 'policy', 'executor', 'projector'].filter((app) => {
        const [, section = ''] = new RegExp(`\\n  ${app}:\\n((?: {4}.*\\n)+)`).exec(compose) ?? [];
        return section.includes(`${folder}:/data/${folder}`);
      });
    expect(sharedBy('blobs')).toEqual(['gateway', 'executor']);
    expect(sharedBy('audit')).toEqual(['gateway', 'projector']);
    for (const folder of ['blobs', 'audit']) {
      expect(read('Dockerfile')).toContain(`/data/${folder}`);
      expect(compose).toContain(`\n  ${folder}: {}\n`);
    }
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
