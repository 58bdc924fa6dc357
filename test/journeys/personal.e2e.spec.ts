import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { EmbeddedPlatform } from './embedded-platform.js';
import { JourneyWorld } from './journey-world.js';
import { describePersonalJourneys } from './personal-journeys.js';

describe('personal data, embedded', () => {
  const at = new JourneyWorld();
  /** Journal, tables, blobs, tiles, keys: every file of the data directory. */
  const files = async () => {
    const { dataDir } = at.platform as EmbeddedPlatform;
    const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
    return names.flatMap((where) => {
      const file = path.join(dataDir, where);
      return statSync(file).isFile() ? [{ where, bytes: readFileSync(file) }] : [];
    });
  };
  beforeAll(() => at.open((env) => EmbeddedPlatform.start({ ...env, COUNTERSIGN_EXPORTS: 'case-history-view,audit-view' })));
  afterAll(() => at.close());
  describePersonalJourneys(at, files);
});
