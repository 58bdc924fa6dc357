import { EventCodec } from '@countersign/contracts';
import { encodeHint } from '@countersign/process';
import { InProcessWakeUps } from '@countersign/store';
import { describe, expect, test } from 'vitest';
import { CALL_ID, placed, sampleEnd, sampleRuling } from '../testing/samples.js';
import { takeHints } from './wake-ups.js';
import { WatchedCalls } from './watched-calls.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

async function hinted(lane: string, payload: Buffer) {
  const channel = new InProcessWakeUps();
  const watchedCalls = new WatchedCalls();
  const seen: { topic: string; offset: number }[] = [];
  watchedCalls.admit(CALL_ID, 'acme', undefined, { changed: (_state, at) => at && seen.push({ topic: at.topic, offset: at.offset }) });
  watchedCalls.apply(placed('policy_decided', sampleRuling(), 'policy-decided'));
  seen.length = 0;
  await takeHints(channel, ['shared', 'acme'], { watchedCalls, codec: new EventCodec(), now_ms: () => 1 });
  channel.publish(lane, [payload]);
  await settled();
  return seen;
}

describe('a wake-up', () => {
  const record = () => new EventCodec().encode('tool_executed', sampleEnd());

  test('delivers a result with its log position, so that a read after the answer waits for it', async () => {
    expect(await hinted('shared', encodeHint(41, record()))).toEqual([{ topic: 'tool-executed', offset: 41 }]);
    expect(await hinted('acme', encodeHint(42, record()))).toEqual([{ topic: 'tool-executed.acme', offset: 42 }]);
  });

  test('that is truncated or has another format is ignored', async () => {
    const whole = encodeHint(41, record());
    for (let end = 0; end < whole.length; end += 7) expect(await hinted('shared', whole.subarray(0, end))).toEqual([]);
    expect(await hinted('shared', Buffer.alloc(64, 0xff))).toEqual([]);
  });
});
