import type { Scenario, ScenarioContext } from './scenario.js';
import type { ServiceName } from './target.js';

/** Work with one effect each, at the same time. The orchestrator has offsets to commit only where there are sagas. */
async function work({ orders, sagas }: ScenarioContext, service: ServiceName, count: number): Promise<void> {
  const once = () => (service === 'orchestrator' ? sagas.next() : orders.insist(orders.next()));
  await Promise.all(Array.from({ length: count }, once));
}

/** F7: the offsets of each consumer are reset to 0; history must not run again. */
export const offsetResets: Scenario = {
  name: 'F7 offsets to 0',
  invariants: 'I1 I2',
  async run(context) {
    const { target, counterparty, size } = context;
    let resets = 0;
    let replayed = 0;
    for (let round = 0; round < size.offset_resets; round++) {
      for (const service of target.services) {
        await work(context, service, 10);
        await target.committed(service);
        const before = (await counterparty.stats()).effects;
        await target.kill(service);
        await target.resetOffsets(service);
        await target.up(service);
        await work(context, service, 5);
        replayed += (await counterparty.stats()).effects - before - 5;
        resets++;
      }
    }
    return { resets, replayed };
  },
  judge: (_, counted) => (counted.replayed === 0 ? [] : [`I1: ${counted.replayed} effects fired again`]),
};
