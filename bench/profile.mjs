// node bench/profile.mjs [--calls 8000 --in-flight 256 --top 40]: where the CPU of the standalone process goes, by room and function.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { start, stop, stopAll } from './parts/children.mjs';
import { root, startEmbedded } from './parts/platforms.mjs';
import { cpuOf } from './parts/usage.mjs';

const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '8000' },
    'in-flight': { type: 'string', default: '256' },
    top: { type: 'string', default: '40' },
  },
});
const calls = Number(options.calls);
const dir = mkdtempSync(path.join(tmpdir(), 'countersign-profile-'));

function drive(part, request) {
  return new Promise((resolve, reject) => {
    part.child.once('message', ({ result, fault }) => (fault ? reject(new Error(fault)) : resolve(result)));
    part.child.send({ id: 1, section: 'profile', in_flight: Number(options['in-flight']), cap_ms: 600_000, ...request });
  });
}

/** The room that a frame works for: its own, else that of whoever called it. */
class FrameFolders {
  #known = new Map();

  constructor(nodes) {
    this.nodes = new Map(nodes.map((node) => [node.id, node]));
    this.parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  }

  of(id) {
    const known = this.#known.get(id);
    if (known) return known;
    const { functionName, url } = this.nodes.get(id).callFrame;
    const own = /\/((?:apps|libs|packs)\/[\w-]+)\//.exec(url)?.[1];
    let folder = 'node';
    if (functionName.startsWith('(')) folder = functionName === '(root)' ? 'node' : functionName;
    else if (own && own !== 'libs/contracts') folder = own;
    else if (/fastify|find-my-way|@nestjs|secure-json|internal_http|_http/.test(url)) folder = 'http';
    else if (this.parents.has(id)) folder = this.of(this.parents.get(id));
    this.#known.set(id, folder);
    return folder;
  }
}

/** Shares of the busy time in the second half of a profile, when everything is compiled. */
function shares(profile) {
  const folders = new FrameFolders(profile.nodes);
  const byFolder = new Map();
  const byFunction = new Map();
  let busy = 0;
  const add = (map, key, time) => map.set(key, (map.get(key) ?? 0) + time);
  for (let at = profile.samples.length >> 1; at < profile.samples.length; at++) {
    const folder = folders.of(profile.samples[at]);
    if (folder === '(idle)') continue;
    const { functionName, url, lineNumber } = folders.nodes.get(profile.samples[at]).callFrame;
    const place = `${functionName || '(anonymous)'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`;
    busy += profile.timeDeltas[at];
    add(byFolder, folder, profile.timeDeltas[at]);
    add(byFunction, `${folder} | ${place}`, profile.timeDeltas[at]);
  }
  const sorted = (map) => [...map].sort((a, b) => b[1] - a[1]).map(([name, time]) => [name, time / busy]);
  return { folders: sorted(byFolder), functions: sorted(byFunction) };
}

const percent = (share) => `${(100 * share).toFixed(1).padStart(6)} %`;

async function profile() {
  const product = await startEmbedded(dir, ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${dir}`]);
  const driver = start('driver', process.execPath, [path.join(root, 'bench/driver.mjs')], { dir, ipc: true });
  const target = { url: product.url, token: product.token };
  await drive(driver, { ...target, calls, tag: 'warm' });
  const before = cpuOf(product.groups);
  const result = await drive(driver, { ...target, calls, tag: 'measured' });
  const after = cpuOf(product.groups);
  const each = (name) => ((after[name] - before[name]) / result.calls).toFixed(3);
  await product.stop();
  await stop(driver);
  console.log(
    `${result.rate.toFixed(0)} calls/s; CPU ms a call: all threads ${each('standalone')}, main thread ${each('standalone:main')}\n`,
  );
  const files = readdirSync(dir).filter((file) => file.endsWith('.cpuprofile'));
  for (const file of files.sort((a, b) => statSync(path.join(dir, b)).size - statSync(path.join(dir, a)).size)) {
    const { folders, functions } = shares(JSON.parse(readFileSync(path.join(dir, file), 'utf8')));
    console.log(`== ${file}\n${folders.map(([name, share]) => `${percent(share)} ${name}`).join('\n')}\n`);
    console.log(
      `${functions
        .slice(0, Number(options.top))
        .map(([name, share]) => `${percent(share)} ${name}`)
        .join('\n')}\n`,
    );
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopAll().then(() => process.exit(130)));
try {
  await profile();
} finally {
  await stopAll();
  rmSync(dir, { recursive: true, force: true });
}
