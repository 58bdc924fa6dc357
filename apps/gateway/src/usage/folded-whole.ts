import { callTopics, laneTopic } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { hasPassed, projectionPosition, readBuilds, type Store } from '@countersign/store';

const USAGE = 'usage';

/** Whether everything that stands on the log of these lanes now is in the usage tables that readers see. */
export async function isFoldedWhole(log: EventLog, store: Store, lanes: readonly string[]): Promise<boolean> {
  const heads = await Promise.all(
    lanes.flatMap((lane) =>
      callTopics.flatMap((name) => {
        const topic = laneTopic(name, lane);
        return Array.from({ length: log.partitions(topic) }, async (_, partition) => ({
          topic,
          partition,
          offset: (await log.head(topic, partition)) - 1,
        }));
      }),
    ),
  );
  if (!(await readBuilds(store)).some(({ projection, state }) => projection === USAGE && state === 'live')) return false;
  return hasPassed(
    await projectionPosition(store),
    heads.filter(({ offset }) => offset >= 0),
  );
}
