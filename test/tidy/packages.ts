import { builtinModules } from 'node:module';
import { importsOf, packageOf, roomOf } from './imports.js';
import { type Fault, isSpec, linesOf, type SourceText } from './source.js';

/** A workspace's package.json. */
export interface Manifest {
  folder: string;
  name: string;
  dependencies: Readonly<Record<string, string>>;
}

/** What a foundation may lean on at run time, besides our own rooms. */
const budgets: Readonly<Record<string, readonly string[]>> = {
  'libs/contracts': ['avsc', 'canonicalize'],
  'libs/domain': [],
  'libs/definitions': ['yaml', 'zod'],
  'libs/mapping': ['jsonata'],
  'libs/openapi': ['yaml', 'zod'],
  'libs/outbound': ['undici'],
  'libs/policy': ['@bufbuild/cel', '@bufbuild/protobuf', 're2js'],
  'libs/proofs': [],
  'libs/timestamps': ['@peculiar/asn1-cms', '@peculiar/asn1-schema', '@peculiar/asn1-tsp', '@peculiar/asn1-x509'],
  'libs/verifier': ['@noble/curves', '@noble/hashes'],
  'libs/tool-kit': ['zod', 'ajv', 're2js'],
  'libs/client': ['openapi-fetch'],
  'libs/store': ['@electric-sql/pglite', 'pg', 'ioredis', 'aws4fetch', 'lru-cache'],
};

export function heavyFoundations(manifests: readonly Manifest[]): Fault[] {
  return manifests.flatMap(({ folder, dependencies }) => {
    const budget = budgets[folder];
    const extra = Object.keys(dependencies).filter((name) => !name.startsWith('@countersign/') && budget && !budget.includes(name));
    return extra.map((name) => ({
      path: `${folder}/package.json`,
      line: 1,
      message: `${name} is beyond this room's budget of run-time libraries`,
    }));
  });
}

/** Versions are exact, so that a fresh install is the tested one. */
export function looseVersions(manifests: readonly Manifest[]): Fault[] {
  return manifests.flatMap(({ folder, dependencies }) =>
    Object.entries(dependencies)
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => ({ path: `${folder}/package.json`, line: 1, message: `${name} ${version}: pin the exact version` })),
  );
}

/** Suites and contract kits are imported by specs only; what they lean on is the root's. */
const testLibraries = ['@nestjs/testing', 'vitest', 'expect', 'fast-check', 'oidc-provider', '@modelcontextprotocol/client'];

/** Imports of packages that the workspace does not list itself. */
export function unlistedPackages(source: SourceText, manifests: readonly Manifest[]): Fault[] {
  const manifest = manifests.find(({ folder }) => folder === roomOf(source.path));
  if (!manifest || isSpec(source.path)) return [];
  return importsOf(source)
    .filter(({ specifier }) => {
      const name = packageOf(specifier);
      const builtin = specifier.startsWith('node:') || builtinModules.includes(name);
      return (
        !specifier.startsWith('.') &&
        !builtin &&
        name !== manifest.name &&
        !(name in manifest.dependencies) &&
        !testLibraries.includes(name)
      );
    })
    .map(({ specifier, node }) => ({
      path: source.path,
      line: linesOf(source, node).first,
      message: `${specifier} is not in ${manifest.folder}/package.json: list what you import`,
    }));
}
