import { setTimeout as sleep } from 'node:timers/promises';
import { type Scenario, tooFewSucceeded } from './scenario.js';
import type { ChaosTarget } from './target.js';

const LEASE_MS = 5000;

const ORDERS_A_ROUND = 12;
/** Time until the resumed executor has its share of the partitions again. */
const REJOIN_MS = 4000;
/** Two of three orders can be reconciled, and succeed unless they had not happened at the takeover. */
const SUCCEED = 1 / 3;
const TAKEN_OVER = 'took over the calls of an executor that lost its lease';

const expected = (zombies: number, mode: ChaosTarget['mode']): number => (mode === 'embedded' ? 0 : zombies);

/**
 * F4: the executor is suspended past its lease while its effect is in flight, and resumes. If other executors run, another takes over.
 * Embedded there is none, so it is not fenced and continues with its lease (decisions/0023): nothing may be taken over then.
 */
export const zombies: Scenario = {
  name: 'F4 zombies',
  invariants: 'I1 I12',
  async run({ target, orders, size, say }) {
    await target.standby();
    const alone = target.mode === 'embedded';
    let taken_over = 0;
    // If nothing was in flight at the suspension there is nothing to take over: such a round does not count.
    for (let round = 0; alone ? round < size.zombies : taken_over < size.zombies && round < 2 * size.zombies; round++) {
      const before = target.logged(TAKEN_OVER);
      const traffic = Array.from({ length: ORDERS_A_ROUND }, (_, i) =>
        orders.insist(orders.next(i % 3 === 2 ? 'probe_http_blind' : 'probe_http_effect', { answer_delay_ms: 1500 })),
      );
      await sleep(700);
      target.signal('executor', 'SIGSTOP');
      await sleep(LEASE_MS + 2500);
      target.signal('executor', 'SIGCONT');
      await Promise.all(traffic);
      await sleep(REJOIN_MS);
      if (target.logged(TAKEN_OVER) > before) taken_over++;
      say(`round ${round + 1}: ${taken_over} of ${size.zombies} zombies were taken over`);
    }
    return { zombies: size.zombies, taken_over };
  },
  judge: (verdict, counted, size, mode) => [
    ...(counted.taken_over === expected(size.zombies, mode)
      ? []
      : [`I12: calls were taken over ${counted.taken_over} times, not ${expected(size.zombies, mode)}`]),
    ...tooFewSucceeded(verdict, SUCCEED),
  ],
};
