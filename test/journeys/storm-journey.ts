import { expect, test } from 'vitest';
import type { Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

/** Concurrent duplicates: each key is sent five times. */
export function describeStorm(at: JourneyWorld, storm_keys: number): void {
  test(`${storm_keys} keys sent five times at once give as many effects and five times as many equal responses`, async () => {
    const before = (await at.counterparty.stats()).effects;
    const keys = Array.from({ length: storm_keys }, () => order());
    const answers: Envelope[][] = [];
    const workers = Array.from({ length: 40 }, async () => {
      for (let inputs = keys.pop(); inputs; inputs = keys.pop()) {
        const five = await Promise.all(
          Array.from({ length: 5 }, () => at.agent.call({ tool: 'probe_http_effect', inputs: inputs as Record<string, unknown> })),
        );
        answers.push(five.map((answer) => answer.body));
      }
    });
    await Promise.all(workers);
    const stats = await at.counterparty.stats();
    expect(stats.duplicates).toEqual([]);
    expect(stats.effects - before).toBe(storm_keys);
    expect(answers).toHaveLength(storm_keys);
    for (const five of answers) {
      expect(five.map((envelope) => envelope.status)).toEqual(Array(5).fill('succeeded'));
      expect(new Set(five.map((envelope) => JSON.stringify(envelope.output))).size).toBe(1);
      expect(five.filter((envelope) => !envelope.deduplicated)).toHaveLength(1);
      expect(new Set(five.map((envelope) => envelope.call_id)).size).toBe(5);
    }
  });
}
