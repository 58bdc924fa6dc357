import type { Scenario } from './scenario.js';

/** F5: every order two to ten times concurrently. */
export const duplicates: Scenario = {
  name: 'F5 duplicates',
  invariants: 'I1 I3',
  async run({ orders, size, random }) {
    let requests = 0;
    let left = size.duplicates;
    const workers = Array.from({ length: 10 }, async () => {
      while (left-- > 0) {
        const order = orders.next();
        const copies = 2 + Math.floor(random() * 9);
        requests += copies;
        await Promise.all(Array.from({ length: copies }, () => orders.insist(order)));
      }
    });
    await Promise.all(workers);
    return { requests };
  },
  judge: (verdict) => (verdict.succeeded === verdict.orders ? [] : [`${verdict.orders - verdict.succeeded} orders did not succeed`]),
};
