import type { Scenario } from './scenario.js';

/** F9: the effect happens and its result is lost; without a reconcile it stays in doubt. */
export const lostAnswers: Scenario = {
  name: 'F9 lost answers',
  invariants: 'I1 I5',
  async run({ orders, size }) {
    const tools = ['probe_http_effect', 'probe_http_keyed', 'probe_http_blind'];
    await Promise.all(Array.from({ length: size.lost_answers }, (_, i) => orders.insist(orders.next(tools[i % 3], { lose_answer: true }))));
    return { lost: size.lost_answers };
  },
  judge: ({ orders, succeeded, in_doubt }, counted) => {
    const blind = Math.floor((counted.lost ?? 0) / 3);
    return [
      ...(in_doubt === blind ? [] : [`I5: ${in_doubt} orders are in doubt; the ${blind} blind ones should be, and no others`]),
      ...(succeeded === orders - blind
        ? []
        : [`I5: ${succeeded} of ${orders - blind} orders were reconciled or sent again until they succeeded`]),
    ];
  },
};
