import { type CrashPoint, crashPoints } from '@countersign/contracts';
import type { Scenario } from './scenario.js';
import type { ChaosTarget, ServiceName } from './target.js';

const serviceOf = (point: CrashPoint) => point.split('.')[0] as ServiceName;

/**
 * Starts the point's service armed. Embedded it died at the point before, so that this start is also the recovery from
 * that; where the recovery itself passes the point it dies before it is ready, which is a crash like any other.
 */
async function arm(target: ChaosTarget, point: CrashPoint, nth: number): Promise<void> {
  await target.kill(serviceOf(point));
  await target.up(serviceOf(point), { COUNTERSIGN_CRASH_AT: `${point}:${nth}` }).catch(async (fault: unknown) => {
    if (!(await target.ended(serviceOf(point), 1000))) throw fault;
  });
}

/** F2: the process dies at each named step. */
export const namedCrashes: Scenario = {
  name: 'F2 crash points',
  invariants: 'I1 I2 I5',
  async run({ target, orders, size, random, say }) {
    let crashes = 0;
    let missed = 0;
    const pending: Promise<void>[] = [];
    for (let round = 0; round < size.crash_rounds; round++) {
      for (const point of crashPoints) {
        await arm(target, point, 1 + Math.floor(random() * 2));
        pending.push(...Array.from({ length: 4 }, () => orders.insist(orders.next())));
        if (await target.ended(serviceOf(point), 20_000)) crashes++;
        else {
          missed++;
          say(`${point} was not reached`);
        }
        if (target.mode === 'kafka') await target.up(serviceOf(point));
      }
      say(`round ${round + 1}: ${crashes} crashes`);
    }
    for (const service of target.services) await target.up(service);
    await Promise.all(pending);
    return { crashes, missed };
  },
  judge: (_, counted, size) =>
    counted.crashes === crashPoints.length * size.crash_rounds
      ? []
      : [`only ${counted.crashes} of ${crashPoints.length * size.crash_rounds} crash points were reached`],
};
