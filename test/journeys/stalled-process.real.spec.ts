import { BrokerProxy } from '@countersign/event-log/kafka/testing/broker-proxy';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DistributedPlatform } from './distributed-platform.js';

const broker = String(process.env.COUNTERSIGN_TEST_KAFKA).split(',')[0] ?? '';
const FETCH = 1;

describe('a projector that receives no more records', () => {
  let platform: DistributedPlatform;
  let proxy: BrokerProxy;

  beforeAll(async () => {
    proxy = await BrokerProxy.before(broker);
    platform = await DistributedPlatform.start();
    await platform.add('watched', 'projector', { COUNTERSIGN_KAFKA_BROKERS: proxy.address, COUNTERSIGN_KAFKA_STALL_MS: '4000' });
    await platform.ready('watched');
  });

  afterAll(async () => {
    proxy.otherReply = () => 'deliver';
    await platform.close();
    await proxy.close();
  });

  test('reports that it is not ready, and ends with code 1 and the reason in its log', async () => {
    const watched = platform.member('watched');
    proxy.otherReply = ({ api }) => (api === FETCH ? 'swallow' : 'deliver');
    // Every service reads this topic, whichever partitions it has.
    const { status } = await platform.admin().request('POST', '/v1/cases', {});
    expect(status).toBe(201);
    await watched.until('a rebuild', async () => watched.output.includes('subscription_stalled'));
    await watched.until('not ready', async () => !(await platform.isReady('watched')));
    expect(await watched.exit()).toBe(1);
    expect(watched.output).toContain('a subscription makes no progress, although it was rebuilt');
    expect(watched.output).toContain('process_failed');
    // Its supervisor starts another, which continues.
    proxy.otherReply = () => 'deliver';
    platform.restart('watched');
    await platform.ready('watched');
  });
});
