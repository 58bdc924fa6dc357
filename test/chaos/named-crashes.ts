import { crashPoints } from '@countersign/contracts';
import type { Scenario } from './scenario.js';
import type { ServiceName } from './target.js';

/** F2: the process dies at each named step; the next round starts with the recovery of the one before. */
export const namedCrashes: Scenario = {
  name: 'F2 crash points',
  invariants: 'I1 I2 I5',
  async run({ target, orders, size, random, say }) {
    let crashes = 0;
    let missed = 0;
    const pending: Promise<void>[] = [];
    for (let round = 0; round < size.crash_rounds; round++) {
      for (const point of crashPoints) {
        const service = point.split('.')[0] as ServiceName;
        await target.kill(service);
        await target.up(service, { COUNTERSIGN_CRASH_AT: `${point}:${1 + Math.floor(random() * 2)}` }).catch(() => undefined);
        const traffic = Array.from({ length: 4 }, () => orders.insist(orders.next()));
        pending.push(...traffic);
        if (await target.ended(service, 20_000)) crashes++;
        else {
          missed++;
          say(`${point} was not reached`);
        }
        await target.up(service);
      }
      say(`round ${round + 1}: ${crashes} crashes`);
    }
    await Promise.all(pending);
    return { crashes, missed };
  },
  judge: (_, counted, size) =>
    counted.crashes === crashPoints.length * size.crash_rounds
      ? []
      : [`only ${counted.crashes} of ${crashPoints.length * size.crash_rounds} crash points were reached`],
};
