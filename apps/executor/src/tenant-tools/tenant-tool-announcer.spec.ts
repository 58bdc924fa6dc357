import type { ConfigurationState } from '@countersign/domain';
import { expect, test } from 'vitest';
import type { LoadedTool } from '../tool-runs/loaded-tool.js';
import { TenantToolAnnouncer } from './tenant-tool-announcer.js';

const tool = (id: string) => ({ id }) as LoadedTool;
const announcement = () => ({ tenant_id: null, executor_id: 'e', lanes: ['shared'], environment: 'default', now_ms: 0 });
const tenants = new Map(['acme', 'rival'].map((tenant_id) => [tenant_id, { lane: 'shared' }]));

/** A configuration whose records are folded at once. */
class Folded {
  readonly by_tenant = new Map([...tenants.keys()].map((tenant_id) => [tenant_id, { policy_offset: 0 }]));
  readonly state = { policy_offset: 0, catalog_offset: 0, by_tenant: this.by_tenant, tenants } as unknown as ConfigurationState;
  private wake: () => void = () => undefined;

  /** A change of one tenant. */
  change(tenant_id: string, policy_offset: number): void {
    this.state.policy_offset = policy_offset;
    this.by_tenant.set(tenant_id, { policy_offset });
    this.wake();
  }

  /** Resolves at the next change. */
  advanced(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
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
        folded.change('acme', 1);
      }
      if (announced.includes('second')) done();
      return batch.length;
    };
    new TenantToolAnnouncer(
      folded,
      { of: (tenant_id) => (tenant_id === 'acme' ? [...tools] : []) },
      { warn: () => undefined },
      announce,
    ).start(announcement);
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
    const of = (tenant_id: string) => (tenant_id === 'rival' ? [] : Array.from({ length: 40 }, (_, at) => tool(String(at))));
    new TenantToolAnnouncer(folded, { of }, { warn: () => undefined }, announce).start(announcement);
  });
  expect(sizes).toEqual([8, 8, 8]);
}, 20_000);

test('a change of one tenant reads the tools of no other, and one whose tools cannot be announced is tried again alone', async () => {
  const folded = new Folded();
  const read: string[] = [];
  let rejections = 1;
  const ended = (times: number) => expect.poll(() => read.length, { timeout: 10_000 }).toBe(times);
  const announce = async (batch: readonly LoadedTool[]) => {
    if (batch[0]?.id === 'acme' && read.length > 3 && rejections-- > 0) throw new Error('the log is unavailable');
    return batch.length;
  };
  const of = (tenant_id: string) => {
    read.push(tenant_id);
    return [tool(tenant_id)];
  };
  new TenantToolAnnouncer(folded, { of }, { warn: () => undefined }, announce).start(announcement);
  await ended(2);
  folded.change('rival', 1);
  await ended(3);
  folded.change('acme', 2);
  await ended(5);
  expect(read).toEqual(['acme', 'rival', 'rival', 'acme', 'acme']);
}, 20_000);
