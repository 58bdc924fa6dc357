import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Backend } from './backend.js';
import { snapshotFile } from './snapshot.js';

test('responses of the database are not retained: 60 MB of rows leave no memory in use', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const backend = await Backend.start({ dir: null, snapshot: await snapshotFile() }, () => {
    throw new Error('the database ended');
  });
  const read = () =>
    backend.run(
      [{ name: '', text: "SELECT repeat('x', 2000) FROM generate_series(1, 1000)", from: 0, to: 0, copy: false, simple: true }],
      new Uint8Array(),
    );
  expect(read().length).toBeGreaterThan(2_000_000);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 30; n++) read();
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
  await backend.close();
});
