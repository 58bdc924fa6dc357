import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { PgliteStore } from '@countersign/store';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import { type CanaryWorld, describeCanaries, SpanCollector } from './canary-journeys.js';

/** Every file below a folder. */
function files(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const file = path.join(dir, name);
    return statSync(file).isDirectory() ? files(file) : [file];
  });
}

describe('canaries, embedded', () => {
  let platform: EmbeddedPlatform;
  let collector: SpanCollector;
  beforeAll(async () => {
    collector = await SpanCollector.open();
    platform = await EmbeddedPlatform.start(collector.env);
  });
  afterAll(async () => {
    await platform?.close();
    collector.close();
  });

  /** Stops the platform: its disk then has everything that it stores. */
  async function kept(): Promise<[string, string][]> {
    await platform.process.stop();
    const all = files(platform.dir);
    expect(all.some((file) => file.includes(`${path.sep}log${path.sep}`))).toBe(true);
    const texts = all.flatMap((file): [string, string][] =>
      (['latin1', 'utf8'] as const).map((encoding) => [file, readFileSync(file, encoding)]),
    );
    const store = await PgliteStore.open({ dir: path.join(platform.dataDir, 'pg') });
    const tables = await store.query<{ name: string }>({
      text: `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
      params: [],
    });
    expect(tables.length).toBeGreaterThan(5);
    const legible = (_: string, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value);
    for (const { name } of tables) {
      const rows = await store.query({ text: `SELECT * FROM "${name}"`, params: [] });
      texts.push([name, JSON.stringify(rows, legible)]);
    }
    expect(texts.filter(([, text]) => text.startsWith('[{')).length).toBeGreaterThan(5);
    await store.close();
    return texts;
  }

  describeCanaries((): CanaryWorld => {
    return { admin: () => platform.admin(), collector, output: () => platform.process.output, kept };
  });
});
