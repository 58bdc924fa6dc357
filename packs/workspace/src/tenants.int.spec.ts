import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tool } from '@countersign/tool-kit';
import { effectOf } from '@countersign/tool-kit/test-context';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pack } from './index.js';
import { ScratchWorkspace } from './scratch-workspace.js';

let scratch: ScratchWorkspace;
beforeEach(async () => {
  scratch = new ScratchWorkspace();
  await scratch.fill({ 'a.txt': 'canary of test', 'dir/b.txt': 'canary of test' });
});
afterEach(() => scratch.remove());

const toolOf = (name: string) => {
  const tool = pack.tools.find(({ contract }) => contract.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool;
};
const asOther = (key?: string) => scratch.context({ tenant_id: 'other', ...(key === undefined ? {} : { idempotency_key: key }) });
const other = (path: string) => join(scratch.workspace, 'other', path);

test('the same path is a different file for each tenant', async () => {
  const write = toolOf('write_file');
  expect(await write.run({ path: 'a.txt', content: 'of other', mode: 'create' } as never, asOther())).toMatchObject({ created: true });
  expect(await toolOf('read_file').run({ path: 'a.txt' } as never, scratch.context())).toMatchObject({ content: 'canary of test' });
  expect(await toolOf('read_file').run({ path: 'a.txt' } as never, asOther())).toMatchObject({ content: 'of other' });
});

test('tenants whose ids differ in case only, or look like paths, have separate sibling folders', async () => {
  const ids = [
    'acme',
    'Acme',
    'ACME',
    '../test',
    '..',
    '.',
    'test/dir',
    'test ',
    'TEST',
    'con',
    '.countersign-trash',
    'é'.normalize('NFC'),
    'é'.normalize('NFD'),
  ];
  for (const tenant_id of ids)
    await toolOf('write_file').run({ path: 'own.txt', content: tenant_id, mode: 'create' } as never, scratch.context({ tenant_id }));
  expect(readdirSync(scratch.workspace)).toHaveLength(ids.length + 1);
  expect(new Set(readdirSync(scratch.workspace).map((name) => name.toLowerCase())).size).toBe(ids.length + 1);
  for (const tenant_id of ids)
    expect(await toolOf('read_file').run({ path: 'own.txt' } as never, scratch.context({ tenant_id }))).toMatchObject({
      content: tenant_id,
    });
  expect(Object.keys(scratch.snapshot())).toEqual(['a.txt', 'dir/b.txt']);
});

test("no tool follows a link from one tenant's folder into another's", async () => {
  await mkdir(other('.'), { recursive: true });
  symlinkSync(scratch.root, other('folder'));
  symlinkSync(join(scratch.root, 'a.txt'), other('file'));
  symlinkSync('../test/a.txt', other('relative'));
  const before = scratch.snapshot();
  for (const path of ['folder/a.txt', 'file', 'relative', 'folder/dir/b.txt'])
    for (const [name, input] of Object.entries({
      read_file: { path },
      file_metadata: { path },
      file_diff: { path, content: 'x' },
      write_file: { path, content: 'x', mode: 'overwrite' },
      delete_file: { path },
      move_file: { source: path, destination: 'moved' },
    }))
      await expect(toolOf(name).run(input as never, asOther())).rejects.toMatchObject({ more: { details: { reason: 'symbolic_link' } } });
  const found = await toolOf('search_content').run({ query: 'canary' } as never, asOther());
  expect(found).toMatchObject({ matches: [], searched: 0 });
  expect(scratch.snapshot()).toEqual(before);
});

test('a tenant folder that is a link to the folder of another tenant is refused', async () => {
  symlinkSync(scratch.root, join(scratch.workspace, 'other'));
  await expect(toolOf('list_directory').run({} as never, asOther())).rejects.toMatchObject({
    more: { details: { reason: 'not_a_folder' } },
  });
});

test('trash and receipts are separate: with the key of another tenant nothing is found, undone or reported as happened', async () => {
  const [write, move, drop] = ['write_file', 'move_file', 'delete_file'].map(toolOf) as [
    ReturnType<typeof toolOf>,
    ...ReturnType<typeof toolOf>[],
  ];
  const done = [
    [write, { path: 'c.txt', content: 'new', mode: 'create' }],
    [move, { source: 'dir/b.txt', destination: 'dir/z.txt' }],
    [drop, { path: 'a.txt' }],
  ] as const;
  for (const [tool, input] of done) {
    const ctx = scratch.context();
    const output = await tool?.run(input as never, ctx);
    const before = scratch.snapshot();
    expect(await tool?.reconcile?.(input as never, ctx)).toMatchObject({ kind: 'happened' });
    expect(await tool?.reconcile?.(input as never, asOther(ctx.idempotency_key))).toEqual({ kind: 'did_not_happen' });
    const effect = effectOf(tool as Tool, input, output, ctx);
    await expect(tool?.compensate?.(effect, asOther()) ?? Promise.reject({ countersign_tool_error: true })).rejects.toMatchObject({
      countersign_tool_error: true,
    });
    expect(scratch.snapshot()).toEqual(before);
  }
  expect(existsSync(other('a.txt'))).toBe(false);
  await writeFile(join(scratch.workspace, 'loose.txt'), 'in no tenant’s folder');
  expect(await toolOf('search_files').run({ pattern: '**' } as never, asOther())).toMatchObject({ files: [] });
});
