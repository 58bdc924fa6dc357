import type { ConfigurationState } from '@countersign/domain';
import { expect, test } from 'vitest';
import type { LoadedTool } from '../tool-runs/loaded-tool.js';
import { TenantToolAnnouncer } from './tenant-tool-announcer.js';

const tool = (id: string) => ({ id }) as LoadedTool;
const announcement = () => ({ tenant_id: null, executor_id: 'e', lanes: ['shared'], environment: 'default', now_ms: 0 });
const tenants = new Map([['acme', { lane: 'shared' }]]);

/** A configuration whose records are folded at once. */
class Folded {
  readonly state = { policy_offset: 0, catalog_offset: 0, by_tenant: tenants, tenants } as unknown as ConfigurationState;

  /** Nothing further comes. */
  advanced(): Promise<void> {
    return new Promise(() => undefined);
  }

  folded(): Promise<void> {
    return Promise.resolve();
  }
}

test('a tool that is registered while others are announced is announced without another change', async () => {
  const folded = new Folded();
  const tools = [tool('first')];
  const announced: string[] = [];
  await new Promise<void>((done) => {
    const announce = async (batch: readonly LoadedTool[]) => {
      announced.push(...batch.map(({ id }) => id));
      if (tools.length === 1) {
        tools.push(tool('second'));
        folded.state.policy_offset = 1;
      }
      if (announced.includes('second')) done();
      return batch.length;
    };
    new TenantToolAnnouncer(folded, { of: () => [...tools] }, { warn: () => undefined }, announce).start(announcement);
  });
  expect(announced).toEqual(['first', 'first', 'second']);
}, 20_000);

test('many tools are announced in batches', async () => {
  const folded = new Folded();
  const sizes: number[] = [];
  await new Promise<void>((done) => {
    const announce = async (batch: readonly LoadedTool[]) => {
      sizes.push(batch.length);
      if (sizes.length === 3) done();
      return batch.length;
    };
    const of = () => Array.from({ length: 40 }, (_, at) => tool(String(at)));
    new TenantToolAnnouncer(folded, { of }, { warn: () => undefined }, announce).start(announcement);
  });
  expect(sizes).toEqual([16, 16, 8]);
}, 20_000);
