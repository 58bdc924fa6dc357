import type { Scenario } from './scenario.js';

/** F7: the offsets of each consumer are reset to 0; history must not run again. */
export const offsetResets: Scenario = {
  name: 'F7 offsets to 0',
  invariants: 'I1 I2',
  async run({ target, counterparty, orders, size }) {
    let resets = 0;
    let replayed = 0;
    for (let round = 0; round < size.offset_resets; round++) {
      for (const service of target.services) {
        await Promise.all(Array.from({ length: 10 }, () => orders.insist(orders.next())));
        await target.committed(service);
        const before = (await counterparty.stats()).effects;
        await target.kill(service);
        await target.resetOffsets(service);
        await target.up(service);
        await Promise.all(Array.from({ length: 5 }, () => orders.insist(orders.next())));
        replayed += (await counterparty.stats()).effects - before - 5;
        resets++;
      }
    }
    return { resets, replayed };
  },
  judge: (_, counted) => (counted.replayed === 0 ? [] : [`I1: ${counted.replayed} effects fired again`]),
};
