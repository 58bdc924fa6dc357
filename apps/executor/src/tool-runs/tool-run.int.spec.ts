import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool, type RunContext } from '@countersign/tool-kit';
import { createLayout } from '@countersign/tool-kit/tenant-folders/layout';
import { TenantFolders } from '@countersign/tool-kit/tenant-folders/tenant-folders';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { Job } from '../calls/job.js';
import { hostPacks } from './hosted-packs.js';
import { loadTools } from './loaded-tool.js';
import type { RunSurroundings } from './run-surroundings.js';
import { ToolRun } from './tool-run.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-run-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const tool = defineTool({
  name: 'look_around',
  version: '1.0.0',
  title: 'Look around',
  description: 'For this spec: a tool of a pack with one folder.',
  category: 'spec',
  effect_class: 'read_internal',
  input: z.strictObject({}),
  output: z.strictObject({ ok: z.literal(true) }),
  run: async () => ({ ok: true as const }),
});

/** The context for a run of this tenant. */
async function contextOf(tenant_id: string, started_at_ms = 0, sharing = false): Promise<RunContext> {
  const pack = { name: 'made', tools: [tool], settings: { OWN_ROOT: root, PLAIN: 'x' }, folders: [{ variable: 'OWN_ROOT' }] };
  const folders = new Map(
    ['OWN_ROOT', 'FOREIGN_ROOT'].map((variable) => [
      variable,
      new TenantFolders({ variable, root, ...(sharing && { sharing: { variable: 'SHARED', on: false } }) }, () => []),
    ]),
  );
  const loaded = loadTools(await hostPacks([pack], ['made']), {}, folders).get('look_around@1.0.0');
  if (!loaded) throw new Error('it was not loaded');
  return new ToolRun({ tenant_id, started_at_ms } as Job, loaded, Date.now() + 1000, {} as RunSurroundings);
}

test('a run gets the folder of its tenant, and the shared settings; never the root', async () => {
  const acme = await contextOf('acme');
  expect([await acme.tenantFolder('OWN_ROOT'), await acme.commonFolder('OWN_ROOT')]).toEqual([join(root, 'acme'), join(root, 'shared')]);
  expect(await (await contextOf('shared')).tenantFolder('OWN_ROOT')).toBe(join(root, '=73hared'));
  expect(acme.settings).toEqual({ PLAIN: 'x' });
  expect(JSON.stringify(Object.values(acme.settings))).not.toContain(root);
});

test('a folder that the pack does not declare is refused without an effect', async () => {
  for (const variable of ['FOREIGN_ROOT', 'NO_ROOT', '', '__proto__'])
    for (const folder of ['tenantFolder', 'commonFolder'] as const)
      await expect((await contextOf('acme'))[folder](variable)).rejects.toMatchObject({ code: 'PROVIDER_ERROR', more: { effect: 'none' } });
});

test('a call that ran before the files were moved to another tenant gets no folder for its reconcile', async () => {
  await createLayout(root, { layout: 'by_tenant', moved: { tenant_id: 'default', at_ms: 5_000 } });
  const before = (await contextOf('acme', 4_999, true)).tenantFolder('OWN_ROOT');
  await expect(before).rejects.toMatchObject({ more: { effect: 'none', details: { reason: 'began_before_move' } } });
  expect(await (await contextOf('default', 4_999, true)).tenantFolder('OWN_ROOT')).toBe(join(root, 'default'));
  expect(await (await contextOf('acme', 5_001, true)).tenantFolder('OWN_ROOT')).toBe(join(root, 'acme'));
});
