import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Command, Outcome } from '../command.js';
import { withTool } from '../scaffold/listed-tool.js';
import { kebab, PACK_NAME, TOOL_NAME } from '../scaffold/names.js';
import { packFiles } from '../scaffold/pack-files.js';
import { readToolFiles } from '../scaffold/read-tool-files.js';
import { writeToolFiles } from '../scaffold/write-tool-files.js';

const PACKER = fileURLToPath(new URL('../../../../scripts/pack-tool-kit.mjs', import.meta.url));
const INDEX = 'src/index.ts';

const refused = (line: string): Outcome => ({ code: 1, lines: [line] });
const wrong = (line: string): Outcome => ({ code: 2, lines: [line, `usage: npm run countersign -- new ${newCommand.usage}`] });

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
  }
}

/** The tool kit is on no registry: its tarball lies in the pack. @returns where npm gets it from */
function kitFor(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const tarball = execFileSync(process.execPath, [PACKER, '--to', folder], { encoding: 'utf8' }).trim();
  return `file:${path.basename(tarball)}`;
}

function newPack(place: string, kit: string | undefined): Outcome {
  const folder = path.resolve(place);
  const name = path.basename(folder);
  if (!PACK_NAME.test(name)) return refused(`${name} is no name of a pack: use small letters, digits and single hyphens, as in my-pack`);
  if (kit === undefined && !existsSync(PACKER)) return refused('the kit cannot be packed here: name it with --kit <version or tarball>');
  if (existsSync(folder)) return refused(`${folder} exists already: name a folder that does not`);
  write(folder, packFiles(name, kit ?? kitFor(folder)));
  return {
    code: 0,
    lines: [`${folder} has a pack with two tools and their tests:`, `  cd ${place} && npm install && npm run build && npm test`],
  };
}

/** The name of the pack in this folder; undefined: there is none. */
function packIn(folder: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { name?: unknown };
    return typeof name === 'string' && existsSync(path.join(folder, INDEX)) ? name.replace(/^@[^/]*\//, '') : undefined;
  } catch {
    return undefined;
  }
}

function newTool(tool: string, folder: string, writes: boolean): Outcome {
  if (!TOOL_NAME.test(tool)) return refused(`${tool} is no name of a tool: use a verb and a noun, as in read_weather`);
  const pack = packIn(folder);
  if (pack === undefined) return refused(`${folder} has no pack: there is no package.json with ${INDEX}`);
  const src = path.join(folder, 'src');
  if (existsSync(path.join(src, kebab(tool)))) return refused(`${path.join(src, kebab(tool))} exists already`);
  write(src, writes ? writeToolFiles(tool, pack) : readToolFiles(tool));
  const index = path.join(folder, INDEX);
  const listed = withTool(readFileSync(index, 'utf8'), tool);
  if (listed === undefined) return { code: 0, lines: [`${tool} is written; list it in ${index}`] };
  writeFileSync(index, listed);
  return { code: 0, lines: [`${tool} is written and listed in ${index}`] };
}

/** `countersign new`: writes a pack, or a tool of a pack, with its tests. */
export const newCommand: Command = {
  name: 'new',
  usage: 'pack <folder> [--kit <version or tarball>] | tool <name> [--pack <folder>] [--write]',
  about: 'writes a pack of tools, or one tool more, with its tests',
  async run(args) {
    try {
      const options = {
        kit: { type: 'string' },
        pack: { type: 'string', default: '.' },
        write: { type: 'boolean', default: false },
      } as const;
      const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
      const [what, name, ...more] = positionals;
      if (name === undefined || more.length > 0) return wrong('expected what to make, and its name');
      if (what === 'pack') return newPack(name, values.kit);
      return what === 'tool' ? newTool(name, path.resolve(values.pack), values.write) : wrong(`cannot make a ${what}`);
    } catch (cause) {
      return wrong((cause as Error).message);
    }
  },
};
