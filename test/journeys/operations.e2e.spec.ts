import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { EmbeddedPlatform } from './embedded-platform.js';
import { JourneyWorld } from './journey-world.js';
import { describeOperations } from './operations-journeys.js';

const systems = mkdtempSync(path.join(tmpdir(), 'countersign-operations-'));
const world = new JourneyWorld();

beforeAll(() => world.open((env) => EmbeddedPlatform.start({ ...env, COUNTERSIGN_PACKS: './packs/operations', OPERATIONS_ROOT: systems })));
afterAll(async () => {
  await world.close();
  rmSync(systems, { recursive: true, force: true });
});

describeOperations(world, path.join(systems, 'default'));
