import { describe, expect, test } from 'vitest';
import type { JourneyWorld } from './journey-world.js';
import { ask, people, vote } from './oversight-people.js';

/** Two people who decide one request at once. */
export function describeVoteRaces(at: JourneyWorld): void {
  describe('a lost vote', () => {
    test('of two people who decide at once one is told who was faster and when', async () => {
      const { agent, ann, bob } = await people(at);
      for (let round = 0; round < 3; round++) {
        const envelope = await ask(agent);
        const both = await Promise.all([ann, bob].map((person) => vote(person, envelope, { vote: 'approve' })));
        expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
        const winner = both[0]?.status === 200 ? 'ann' : 'bob';
        const lost = both.find(({ status }) => status === 409)?.body;
        expect(lost).toMatchObject({ approval_status: 'granted', decided_by: winner, decided_at: expect.stringMatching(/^20/) });
      }
    });
  });
}
