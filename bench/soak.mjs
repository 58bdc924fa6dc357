// node bench/soak.mjs [--calls 1000000 --in-flight 64 --step 50000]: memory of the embedded platform over many calls.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { start, stop, stopAll } from './parts/children.mjs';
import { projectorLag, root, startEmbedded } from './parts/platforms.mjs';
import { peakMiB, rssMiB } from './parts/usage.mjs';

const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000000' },
    'in-flight': { type: 'string', default: '64' },
    step: { type: 'string', default: '50000' },
  },
});
const STEP = Number(options.step);
const dir = mkdtempSync(path.join(tmpdir(), 'countersign-soak-'));

function drive(part, request) {
  return new Promise((resolve, reject) => {
    part.child.once('message', ({ result, fault }) => (fault ? reject(new Error(fault)) : resolve(result)));
    part.child.send({ id: 1, ...request });
  });
}

/** What V8 says of the main thread: heap in use, and memory outside of it (buffers). MiB. */
async function heap({ metrics: [url] }) {
  const text = await (await fetch(url)).text();
  const value = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN) / 2 ** 20;
  return `heap ${value('nodejs_heap_size_used_bytes').toFixed(0)} MiB, external ${value('nodejs_external_memory_bytes').toFixed(0)} MiB`;
}

async function soak() {
  const driver = start('driver', process.execPath, [path.join(root, 'bench/driver.mjs')], { dir, ipc: true });
  const product = await startEmbedded(dir);
  const pid = product.groups.standalone[0];
  console.log(`ready after ${product.start_secs.toFixed(1)} s, RSS ${rssMiB(pid).toFixed(0)} MiB`);
  let errors = 0;
  for (let done = 0; done < Number(options.calls); done += STEP) {
    const request = { section: 'soak', calls: STEP, in_flight: Number(options['in-flight']), cap_ms: 3_600_000, tag: `s${done}` };
    const result = await drive(driver, { ...request, url: product.url, token: product.token });
    errors += result.errors + (result.effects === result.keys ? 0 : 1);
    const lag = await projectorLag(product);
    console.log(
      `${done + STEP} calls: RSS ${rssMiB(pid).toFixed(0)} MiB (${await heap(product)}), ${result.rate.toFixed(0)} calls/s, p99 ${result.p99.toFixed(1)} ms, ` +
        `effects ${result.effects}/${result.keys}, ${result.errors} errors, projector ${lag} behind`,
    );
  }
  console.log(`peak ${peakMiB(pid).toFixed(0)} MiB`);
  console.log(`warm start after it: ${(await product.restart()).toFixed(1)} s`);
  await Promise.all([product.stop(), stop(driver)]);
  return errors === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopAll().then(() => process.exit(130)));
try {
  process.exitCode = await soak();
} catch (cause) {
  console.error(String(cause?.stack ?? cause));
  process.exitCode = 1;
} finally {
  await stopAll();
  rmSync(dir, { recursive: true, force: true });
}
