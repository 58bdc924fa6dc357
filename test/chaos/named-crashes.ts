import { type CrashPoint, crashPoints } from '@countersign/contracts';
import { type Scenario, type ScenarioContext, tooFewSucceeded } from './scenario.js';
import type { ServiceName } from './target.js';

const ORDERS_A_CRASH = 4;
/** Other services die at every start too, so a crash point may be reached late on a loaded machine. */
const REACHED_WITHIN_MS = 120_000;
/** Concurrent orders may form one batch, and a point that must be reached twice needs another batch. */
const ANOTHER_AFTER_MS = 5000;
/** On Kafka a successor cannot know that the previous executor is dead: many orders correctly stay in doubt. */
const SUCCEED = { embedded: 1 / 2, kafka: 1 / 10 };

/** The crash points of each process: embedded all are in one. */
function pointsOf({ target }: ScenarioContext): Map<ServiceName, CrashPoint[]> {
  const points = new Map<ServiceName, CrashPoint[]>();
  for (const point of crashPoints) {
    const owner = point.split('.')[0] as ServiceName;
    const service = target.services.includes(owner) ? owner : (target.services[0] as ServiceName);
    points.set(service, [...(points.get(service) ?? []), point]);
  }
  return points;
}

/** One more piece of work that leads past the point. */
const work = ({ orders, sagas }: ScenarioContext, point: CrashPoint): Promise<void> =>
  point.startsWith('orchestrator.') ? sagas.next() : orders.insist(orders.next());

/** @returns whether the process died at its point. Work is sent meanwhile. */
async function reached(context: ScenarioContext, service: ServiceName, point: CrashPoint, pending: Promise<void>[]): Promise<boolean> {
  for (let waited_ms = 0; waited_ms < REACHED_WITHIN_MS; waited_ms += ANOTHER_AFTER_MS) {
    if (await context.target.ended(service, ANOTHER_AFTER_MS)) return true;
    pending.push(work(context, point));
  }
  return false;
}

/** Kills one process at each of its points, repeatedly; each start recovers from the previous crash. */
async function crash(context: ScenarioContext, service: ServiceName, points: readonly CrashPoint[]): Promise<number> {
  const { target, size, random, say } = context;
  const pending: Promise<void>[] = [];
  let crashes = 0;
  await target.kill(service);
  for (let round = 1; round <= size.crash_rounds; round++) {
    for (const point of points) {
      // It may die while it recovers, before it is ready: then the point was reached.
      await target.up(service, { COUNTERSIGN_CRASH_AT: `${point}:${1 + Math.floor(random() * 2)}` }).catch(async (fault: unknown) => {
        if (!(await target.ended(service, 1000))) throw fault;
      });
      for (let i = 0; i < ORDERS_A_CRASH; i++) pending.push(work(context, point));
      if (await reached(context, service, point, pending)) crashes++;
      else {
        say(`${point} was not reached in round ${round}`);
        await target.kill(service);
      }
    }
    say(`${service}: ${crashes} crashes after round ${round}`);
  }
  await target.up(service);
  await Promise.all(pending);
  return crashes;
}

/** F2: the processes die at each named step, concurrently if there are several. */
export const namedCrashes: Scenario = {
  name: 'F2 crash points',
  invariants: 'I1 I2 I5',
  async run(context) {
    const crashes = await Promise.all([...pointsOf(context)].map(([service, points]) => crash(context, service, points)));
    return { crashes: crashes.reduce((sum, count) => sum + count, 0) };
  },
  judge: (verdict, counted, size, mode) => {
    const crashes = crashPoints.length * size.crash_rounds;
    const { orders, failed } = verdict;
    return [
      ...(counted.crashes === crashes ? [] : [`only ${counted.crashes} of ${crashes} crash points were reached`]),
      ...(failed > orders / 2 ? [`I11: ${failed} of ${orders} orders failed`] : []),
      ...tooFewSucceeded(verdict, SUCCEED[mode]),
    ];
  },
};
