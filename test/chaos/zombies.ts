import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from './scenario.js';

const LEASE_MS = 5000;

/** F4: the executor is stopped past its lease while its effect is in flight, and comes back. */
export const zombies: Scenario = {
  name: 'F4 zombies',
  invariants: 'I1 I12',
  async run({ target, orders, size, say }) {
    for (let round = 0; round < size.zombies; round++) {
      const traffic = Array.from({ length: 6 }, (_, i) =>
        orders.insist(orders.next(i % 3 === 2 ? 'probe_http_blind' : 'probe_http_effect', { answer_delay_ms: 1500 })),
      );
      await sleep(700);
      target.signal('executor', 'SIGSTOP');
      await sleep(LEASE_MS + 2500);
      target.signal('executor', 'SIGCONT');
      await Promise.all(traffic);
      say(`zombie ${round + 1} of ${size.zombies}`);
    }
    return { zombies: size.zombies };
  },
};
