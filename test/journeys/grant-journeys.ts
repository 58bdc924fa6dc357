import { describe, expect, test } from 'vitest';
import type { Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';
import { ask, ended, people, vote } from './oversight-people.js';

interface Grant {
  grant_id: string;
  status: string;
  uses: number;
  used: number;
  amounts: { path: string; max: number; sum_max: number }[];
}

/** The scope of 'approve similar' if the contract marks inputs: amounts up to the approved one, and free inputs. */
export function describeGrants(at: JourneyWorld): void {
  describe('grants on amounts', () => {
    async function granted(approved: number, uses: number) {
      const of = await people(at);
      const inputs = order({ amount: approved });
      const first = await ask(of.agent, inputs);
      expect((await vote(of.ann, first, { vote: 'approve', grant: { scope: 'tool', for_ms: 3_600_000, uses } })).status).toBe(200);
      await ended(of.agent, first);
      const listed = async () => (await of.admin.request<{ items: Grant[] }>('GET', '/v1/grants')).body.items;
      for (let i = 0; i < 100 && (await listed()).length === 0; i++) await new Promise((done) => setTimeout(done, 50));
      let n = 0;
      /** A new intent: the same payment again, except for these fields. */
      const pay = (more: object): Promise<Envelope> => ask(of.agent, { ...inputs, ...more }, { occurrence: `again-${++n}` });
      return { ...of, inputs, listed, pay };
    }

    test('amounts up to the grant run without approval, the list shows the total and the used sum, and beyond it approval is required', async () => {
      const { agent, listed, pay } = await granted(100, 3);
      const amounts = [{ path: '/amount', max: 100, sum_max: 300 }];
      expect(await listed()).toMatchObject([{ status: 'active', uses: 3, used: 0, amounts }]);
      const [grant] = await listed();
      for (const [n, amount] of [1, 40, 100].entries()) {
        const paid = await ended(agent, await pay({ amount }));
        expect(paid).toMatchObject({
          status: 'succeeded',
          output: { amount },
          decision: { effect: 'allow', rule: `grant/${grant?.grant_id}` },
        });
        expect(await listed()).toMatchObject([{ used: n + 1, amounts }]);
      }
      const after = await pay({ amount: 1 });
      expect([after.status, await at.counterparty.effectsOf(after.idempotency_key)]).toEqual(['pending_approval', []]);
      expect(await listed()).toMatchObject([{ uses: 3, used: 3 }]);
    });

    test('a larger amount, another account and another note need approval and use nothing of the grant', async () => {
      const { agent, listed, pay } = await granted(100, 5);
      for (const more of [{ amount: 101 }, { amount: 40_000 }, { account: 'another-supplier' }, { amount: 1, note: 'something else' }]) {
        const waits = await pay(more);
        expect([waits.status, await at.counterparty.effectsOf(waits.idempotency_key)]).toEqual(['pending_approval', []]);
      }
      expect(await listed()).toMatchObject([{ used: 0 }]);
      expect(await ended(agent, await pay({ amount: 99, drafted_at: '2026-11-23' }))).toMatchObject({ status: 'succeeded' });
      expect(await listed()).toMatchObject([{ used: 1 }]);
    });

    test('many concurrent calls use a grant no more often than it allows', async () => {
      const { agent, listed, pay } = await granted(100, 2);
      const calls = await Promise.all([10, 20, 30, 40, 50, 60].map((amount) => pay({ amount })));
      const states = (await Promise.all(calls.map((call) => (call.status === 'pending_approval' ? call : ended(agent, call))))).map(
        ({ status }) => status,
      );
      expect(states.filter((status) => status === 'succeeded')).toHaveLength(2);
      expect(states.filter((status) => status === 'pending_approval')).toHaveLength(4);
      expect(await listed()).toMatchObject([{ used: 2, amounts: [{ sum_max: 200 }] }]);
    });

    test('zero, a negative amount and a missing amount are refused before an approval is requested', async () => {
      const { agent, inputs, listed } = await granted(100, 2);
      const { amount: _, ...without } = inputs;
      for (const wrong of [{ ...inputs, amount: 0 }, { ...inputs, amount: -5 }, { ...inputs, amount: 0.5 }, without]) {
        const refused = await agent.call({ tool: 'probe_approval', inputs: wrong });
        expect(refused.status).toBe(422);
      }
      expect(await listed()).toMatchObject([{ used: 0 }]);
    });
  });
}
