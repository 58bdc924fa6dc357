import { listedTool } from '@countersign/domain/testing/upstream-history';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { EventReader, type ReadEvent } from '../testing/event-reader.js';
import { TestGateway } from '../testing/test-gateway.js';
import { UpstreamListings } from '../testing/upstream-listings.js';

let gateway: TestGateway;
const open: EventReader[] = [];
beforeAll(async () => {
  gateway = await TestGateway.open();
}, 60_000);
afterAll(async () => {
  for (const reader of open) reader.close();
  await gateway.close();
}, 30_000);

/** The stream of a person with this role, once it has started. */
async function streamOf(role: string): Promise<EventReader> {
  const key = await gateway.keyFor(`the-${role}`, [role]);
  const reader = await EventReader.open(`${gateway.url}/v1/events?kinds=configuration,case`, key);
  open.push(reader);
  await reader.until(1);
  return reader;
}

interface Tools {
  items: { tool: string; digest: string }[];
}

async function classifyAll(): Promise<void> {
  const read = async () => ((await gateway.send('GET', '/v1/upstreams/files/tools')).body as Tools).items;
  await vi.waitFor(async () => expect(await read()).toHaveLength(1));
  const tools = (await read()).map(({ tool, digest }) => ({ tool, digest, effect_class: 'read_internal' }));
  expect((await gateway.send('POST', '/v1/upstreams/files/classifications', { tools })).status).toBe(200);
}

test('those who may list upstreams are told when one is set, listed, classified and becomes unhealthy, and no one else', async () => {
  const readers = await Promise.all(['operator', 'tool_author', 'policy_admin', 'auditor'].map(streamOf));
  const approver = await streamOf('approver');
  const isTold = async (event_type: string, times = 1) => {
    const of = ({ data }: ReadEvent) => data.kind === 'configuration' && data.id === 'upstream/files' && data.event_type === event_type;
    for (const reader of readers) await vi.waitFor(() => expect(reader.events.filter(of)).toHaveLength(times));
  };
  await gateway.send('PUT', '/v1/upstreams/files', { url: 'https://files.example/mcp' });
  await isTold('upstream_set');
  const listings = new UpstreamListings({ log: gateway.log, codec: gateway.deps.codec }, 'files');
  await listings.complete(listedTool('find', { description: 'Secret words of the server.' }));
  await isTold('upstream_listed');
  await classifyAll();
  await isTold('upstream_tool_classified');
  await listings.failed('connection refused');
  await isTold('upstream_listed', 2);
  for (const { events } of readers) expect(JSON.stringify(events)).not.toMatch(/Secret words|connection refused|files\.example/);
  const { case_id } = (await gateway.send('POST', '/v1/cases', { title: 'the last change' })).body as { case_id: string };
  await approver.find(({ data }) => data.id === case_id);
  expect(approver.events.map(({ data }) => data.id).filter((id) => id !== undefined)).toEqual([case_id]);
}, 30_000);
