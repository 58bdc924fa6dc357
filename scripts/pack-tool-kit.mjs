// npm run pack:tool-kit [-- --to <folder>]: makes the tarball of @countersign/tool-kit that installs into an empty project.
// The kit leans on @countersign/contracts, which is on no registry: the tarball bundles it. Specs and source maps are left out.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const to = path.resolve(process.argv.includes('--to') ? process.argv[process.argv.indexOf('--to') + 1] : root);
const manifestOf = (folder) => JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
const LEFT_OUT = /(\.spec\.(d\.ts|js)|\.map|\.tsbuildinfo)$/;

/** Any later version that promises compatibility: a pack has libraries of its own besides the kit's. */
const compatible = (versions) => Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, `^${version}`]));

/** A declaration that uses types of Node says so: a project need not name them in its tsconfig. */
function nameNode(file) {
  const text = readFileSync(file, 'utf8');
  if (/\bBuffer\b|\bNodeJS\.|from 'node:/.test(text)) writeFileSync(file, `/// <reference types="node" />\n${text}`);
}

function stage(folder, target, manifest) {
  mkdirSync(target, { recursive: true });
  cpSync(path.join(root, folder, 'dist'), path.join(target, 'dist'), {
    recursive: true,
    filter: (from) => !LEFT_OUT.test(from) && path.relative(root, from).split(path.sep)[3] !== 'testing',
  });
  for (const name of readdirSync(path.join(target, 'dist'), { recursive: true }))
    if (name.endsWith('.d.ts')) nameNode(path.join(target, 'dist', name));
  writeFileSync(path.join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

const { private: _kit, scripts: _scripts, dependencies, peerDependencies, ...kit } = manifestOf('libs/tool-kit');
const { private: _contracts, ...contracts } = manifestOf('libs/contracts');
const { zod, ...others } = dependencies;
const staging = mkdtempSync(path.join(tmpdir(), 'countersign-tool-kit-'));
try {
  stage('libs/tool-kit', staging, {
    ...kit,
    description: 'Define tools for Countersign, and test them against their contracts',
    engines: { node: '>=20.19' },
    files: ['dist'],
    // Those of the contracts as well: npm installs what the kit itself lists.
    dependencies: { ...others, ...contracts.dependencies, '@types/node': '>=20.19' },
    bundleDependencies: ['@countersign/contracts'],
    peerDependencies: compatible({ ...peerDependencies, zod }),
  });
  stage('libs/contracts', path.join(staging, 'node_modules/@countersign/contracts'), contracts);
  cpSync(path.join(root, 'LICENSE'), path.join(staging, 'LICENSE'));
  cpSync(path.join(root, 'docs/how-to/packs.md'), path.join(staging, 'README.md'));
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', to], { cwd: staging, encoding: 'utf8' });
  console.log(path.join(to, JSON.parse(packed)[0].filename));
} finally {
  rmSync(staging, { recursive: true, force: true });
}
