import { expect, test } from '@jest/globals';
import { startProjector } from '../start-projector.js';
import { PlatformOnDisk } from '../testing/platform-on-disk.js';
import { courses, SampleHistory } from '../testing/sample-history.js';
import { TestedChecks } from '../testing/state-checks.js';

const ROUNDS = 12;
const CALLS_A_ROUND = 60;

test('rows are never accused while calls come, while the projector is behind, is stopped and started, and folds everything anew', async () => {
  const platform = await PlatformOnDisk.open();
  const history = new SampleHistory();
  let projector = await startProjector(platform.deps, { lanes: ['shared'] });
  const checked = new TestedChecks(platform.log, platform.store);
  const sampler = checked.sampler(11);
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const from = history.events.length;
      for (let n = 0; n < CALLS_A_ROUND; n++) history.call(courses[n % courses.length]!, null);
      const events = history.events.slice(from);
      const half = Math.floor(events.length / 2);
      await platform.append(events.slice(0, half));
      const looking = sampler.look();
      await platform.append(events.slice(half));
      await looking;
      await sampler.look();
      if (round % 4 === 1) await projector.close();
      await sampler.look();
      if (round % 4 === 1) projector = await startProjector(platform.deps, { lanes: ['shared'] });
      if (round % 4 === 2)
        await platform.store.query({
          text: 'INSERT INTO projection_requests VALUES ($1, $2) ON CONFLICT (projection) DO UPDATE SET asked_offset = excluded.asked_offset',
          params: ['call', 1_000_000 + round],
        });
      await sampler.look();
      // What the log says twice changes nothing.
      if (round % 4 === 3) await platform.append(history.events.slice(from, from + 50));
    }
    await platform.folded();
    for (let n = 0; n < 20; n++) await sampler.look();
    expect(checked.found).toEqual([]);
    expect(await checked.compared('calls')).toBeGreaterThan(ROUNDS * 60);
  } finally {
    await projector.close();
    await platform.close();
  }
}, 120_000);
