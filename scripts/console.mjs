/** npm run console: bundles apps/console into its site/, if that is missing or older than its sources. `--check` only says whether it is current. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const app = path.join(root, 'apps/console');
const site = path.join(app, 'site');
const STAMP = path.join(site, 'sources.sha256');
/** What the bundle is made of. The generated types of the client leave no trace in it; the schemas of events do. */
const SOURCES = [
  'apps/console/src',
  'apps/console/index.html',
  'apps/console/vite.config.js',
  'apps/console/package.json',
  'libs/client/src',
  'libs/verifier/src',
  'libs/contracts/src/canonical-text.ts',
  'libs/contracts/src/generated/schemas.ts',
  'libs/domain/src/call',
  'package-lock.json',
  'scripts/console.mjs',
];
/** Compressed copies of smaller files would not be sent in fewer packets. */
const COMPRESSED_BYTES_MIN = 1_000;

function* filesOf(file) {
  if (path.extname(file) !== '') return yield file;
  for (const entry of readdirSync(path.join(root, file), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name === 'generated' || entry.name === 'testing' || entry.name.endsWith('.spec.ts')) continue;
    if (entry.isDirectory()) yield* filesOf(`${file}/${entry.name}`);
    else yield `${file}/${entry.name}`;
  }
}

function sourcesDigest() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap((source) => [...filesOf(source)]))
    hash.update(`${file}\0`).update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

/** Beside each asset its compressed forms, so that the gateway compresses nothing while it serves. */
function compressAssets() {
  const assets = path.join(site, 'assets');
  for (const name of readdirSync(assets)) {
    const bytes = readFileSync(path.join(assets, name));
    if (bytes.length < COMPRESSED_BYTES_MIN || !/\.(js|css|svg)$/.test(name)) continue;
    writeFileSync(path.join(assets, `${name}.br`), brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
    writeFileSync(path.join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
}

const digest = sourcesDigest();
const is_current = existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digest;
if (process.argv.includes('--check')) {
  if (!is_current) console.error('apps/console/site is missing or older than its sources: npm run console');
  process.exitCode = is_current ? 0 : 1;
} else if (!is_current) {
  console.log('Building the console');
  const { build } = await import('vite');
  await build({ configFile: path.join(app, 'vite.config.js') });
  compressAssets();
  writeFileSync(STAMP, digest);
}
