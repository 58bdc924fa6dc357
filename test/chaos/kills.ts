import { setTimeout as sleep } from 'node:timers/promises';
import { type Scenario, tooFewSucceeded } from './scenario.js';

/** F1: kill -9 of the services in turn while agents keep calling. */
export const kills: Scenario = {
  name: 'F1 kills',
  invariants: 'I1 I2 I5 I11',
  async run({ target, orders, sagas, size, random, say }) {
    let running = true;
    let killed = 0;
    const pace_ms = target.mode === 'embedded' ? 900 : 1000;
    const restarts = new Map<string, Promise<void>>();
    const nemesis = (async () => {
      while (running) {
        await sleep(size.kill_every_ms);
        if (!running) break;
        const service = target.services[killed % target.services.length] as (typeof target.services)[number];
        await restarts.get(service);
        await target.kill(service);
        killed++;
        restarts.set(
          service,
          sleep(random() * 1000).then(() => target.up(service)),
        );
        say(`killed ${service} (${killed}), ${orders.sent} of ${size.calls} orders sent`);
      }
    })();
    const pending: Promise<void>[] = [];
    for (let i = 0; i < size.calls; i++) {
      while (killed < Math.floor((size.kills * i) / size.calls)) await sleep(50);
      pending.push(orders.insist(orders.next('probe_http_effect', { delay_ms: Math.floor(random() * 200) })));
      if (i % 10 !== 9) continue;
      pending.push(sagas.next());
      await sleep(pace_ms);
    }
    running = false;
    await nemesis;
    await Promise.all(pending);
    await Promise.all(restarts.values());
    return { kills: killed, services: target.services.length };
  },
  judge: (verdict, counted, size) => [
    ...((counted.kills ?? 0) < (counted.services ?? 1) ? ['not every service was killed'] : []),
    ...((counted.kills ?? 0) < size.kills - 1 ? [`only ${counted.kills} of ${size.kills} kills`] : []),
    ...tooFewSucceeded(verdict, 1 / 2),
  ],
};
