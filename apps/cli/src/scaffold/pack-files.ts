import { camel, folderSetting, kebab } from './names.js';
import { readToolFiles } from './read-tool-files.js';
import { writeToolFiles } from './write-tool-files.js';

const READ = 'shout_text';
const WRITE = 'keep_note';

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const imported = (tool: string): string => `import { ${camel(tool)} } from './${kebab(tool)}/${kebab(tool)}.ts';`;

const index = (pack: string): string => `import type { Pack } from '@countersign/tool-kit';
${imported(WRITE)}
${imported(READ)}

/** The tools of this pack. */
export const pack: Pack = {
  name: '${pack}',
  version: '0.1.0',
  // The executor creates the folder, and gives each tenant a folder of its own in it.
  settings: { ${folderSetting(pack)}: './${pack}-data' },
  folders: [{ variable: '${folderSetting(pack)}' }],
  tools: [
    ${camel(WRITE)},
    ${camel(READ)},
  ],
};
`;

const manifest = (pack: string, kit: string) => ({
  name: pack,
  version: '0.1.0',
  private: true,
  type: 'module',
  exports: './src/index.ts',
  engines: { node: '>=20.19' },
  scripts: { build: 'tsc', test: 'vitest run' },
  dependencies: { '@countersign/tool-kit': kit, zod: '^4.6.7' },
  devDependencies: {
    '@types/node': '^20.19.25',
    expect: '^30.5.2',
    'fast-check': '^4.10.2',
    typescript: '^7.0.2',
    vitest: '^4.1.12',
  },
});

/** Types are only checked: the executor runs the sources, and removes what is TypeScript itself. */
const tsconfig = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    types: ['node'],
  },
  include: ['src'],
};

const readme = (pack: string): string => `# ${pack}

Tools for Countersign.

    npm install
    npm run build      # checks the types
    npm test           # runs the tests of each tool, and its contract tests

Run the platform with it, in the folder of the platform:

    COUNTERSIGN_PACKS=workspace,<path of this folder> npm start

Add a tool, in the folder of the platform: \`npm run countersign -- new tool read_weather --pack <path of this folder>\`.
`;

/** All files of a new pack, by path. @param kit where npm gets the tool kit from */
export function packFiles(pack: string, kit: string): Record<string, string> {
  const tools = { ...readToolFiles(READ), ...writeToolFiles(WRITE, pack) };
  return {
    'package.json': json(manifest(pack, kit)),
    'tsconfig.json': json(tsconfig),
    'README.md': readme(pack),
    '.gitignore': 'node_modules/\n',
    'src/index.ts': index(pack),
    ...Object.fromEntries(Object.entries(tools).map(([file, text]) => [`src/${file}`, text])),
  };
}
