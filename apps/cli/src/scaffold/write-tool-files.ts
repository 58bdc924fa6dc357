import { camel, folderSetting, kebab, words } from './names.js';

/** Files of a tool that writes, by path in \`src\`: it keeps one file for each effect, finds it again, and removes it. */
export function writeToolFiles(tool: string, pack: string): Record<string, string> {
  return { [`${kebab(tool)}/${kebab(tool)}.ts`]: source(tool, pack), [`${kebab(tool)}/${kebab(tool)}.spec.ts`]: spec(tool, pack) };
}

const source = (tool: string, pack: string): string => `import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { defineTool, type RunContext } from '@countersign/tool-kit';
import { z } from 'zod';

const FOLDER = '${folderSetting(pack)}';

/** One key is one effect: a repeated run finds the file of the first. */
const idOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16);

/** The folder of the caller's tenant: no other tenant has a path into it. */
const fileOf = async (ctx: RunContext, id: string): Promise<string> => path.join(await ctx.tenantFolder(FOLDER), \`\${id}.json\`);

async function textIn(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}

export const ${camel(tool)} = defineTool({
  name: '${tool}',
  version: '1.0.0',
  title: '${words(tool)}',
  // For models: when to use the tool, and what it gives.
  description: 'Keeps the given text as a file and gives its id. Replace this by what your tool does.',
  category: 'examples',
  // A write that can be undone. commit_high asks a person first.
  effect_class: 'commit_low',
  // The same title and text again are the same effect.
  idempotency: { discriminating: ['title', 'text'] },
  // A run that is repeated with its key changes nothing more, so a lost answer is simply asked for again.
  takes_key: true,
  input: z.strictObject({ title: z.string().min(1).max(100), text: z.string().max(10_000) }),
  output: z.strictObject({ id: z.string() }),
  run: async ({ title, text }, ctx) => {
    const id = idOf(ctx.idempotency_key);
    await writeFile(await fileOf(ctx, id), JSON.stringify({ title, text }));
    return { id };
  },
  // Asked after a lost answer. It changes nothing.
  reconcile: async (_input, ctx) => {
    const id = idOf(ctx.idempotency_key);
    const kept = await textIn(await fileOf(ctx, id));
    return kept === undefined ? { kind: 'did_not_happen' } : { kind: 'happened', output: { id } };
  },
  // Safe to run twice.
  compensate: async ({ output }, ctx) => {
    await rm(await fileOf(ctx, output.id), { force: true });
    return { removed: output.id };
  },
  verify: async ({ title, text }, { id }, ctx) => {
    const kept = await textIn(await fileOf(ctx, id));
    if (kept === JSON.stringify({ title, text })) return { kind: 'verified' };
    return { kind: 'contradicted', why: kept === undefined ? 'its file does not exist' : 'its file has another content' };
  },
});
`;

const spec = (tool: string, pack: string): string => `import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { contractTests } from '@countersign/tool-kit/contract-tests';
import type { Counterpart } from '@countersign/tool-kit/eval-pack';
import { ${camel(tool)} } from './${kebab(tool)}.ts';

/** The system that the tool acts on: a folder, new for each check. */
class NewFolder implements Counterpart {
  private folder = '';

  async prepare(): Promise<void> {
    this.folder = await mkdtemp(path.join(tmpdir(), '${pack}-'));
  }

  async clean(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  settings(): Record<string, string> {
    return { ${folderSetting(pack)}: this.folder };
  }

  /** Everything of the tenant \`test\`: the checks compare it before and after. */
  async snapshot(): Promise<unknown> {
    const mine = path.join(this.folder, 'test');
    const names = await readdir(mine).catch(() => []);
    return Promise.all(names.sort().map(async (name) => [name, await readFile(path.join(mine, name), 'utf8')]));
  }
}

// What every write has to keep: one effect for a key, reconcile and verify that find it, compensate that removes it.
contractTests(${camel(tool)}, {
  counterpart: new NewFolder(),
  golden: [{ title: 'a note', input: { title: 'Shopping', text: 'Bread and milk' } }],
  // Ids follow from keys, which differ from run to run.
  volatile: [/[0-9a-f]{16}/g],
});
`;
