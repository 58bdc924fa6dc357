import { rulingBundles } from '@countersign/domain';
import { compiledBundles } from '@countersign/policy';
import { changesOf } from './change.js';
import type { Place } from './configuration-history.js';
import type { Item, SimulatedWorld } from './simulated-world.js';

/** Two times within this tolerance count as the same time. */
const SAME_MS = 5;
/** At most this many configuration positions are prepared per item. */
const PLACES_MAX = 4;

/** Folds the configuration and compiles the bundles that an item needs, in small steps, so that the decision itself is fast. */
export function* prepared(world: SimulatedWorld, item: Item): Generator<void> {
  const { history, recording } = world;
  const places = placesOf(world, item);
  yield* history.reach(places);
  for (const place of places)
    for (const text of Object.values(rulingBundles(history.reached(place), recording.tenant_id))) yield* compiledBundles.steps(text);
}

/** The configuration positions that an item may need. */
function placesOf({ history, now_ms, records, rulings, changes }: SimulatedWorld, item: Item): Place[] {
  switch (item.kind) {
    case 'run':
    case 'expire':
    case 'forget':
      return [];
    case 'recorded': {
      const published = item.event;
      if (published.event_type !== 'policy_decided' || changesOf(changes, 'limit').length === 0) return [];
      return [history.placeOf(published.event.config_offset, published.timestamp_ms)];
    }
    case 'configured':
      return rulings.approvals.size === 0 && rulings.limits.deferred.size === 0 ? [] : [history.placeAt(now_ms)];
    case 'start':
      return [history.placeAt(now_ms)];
    case 'request':
      return [history.placeAt(now_ms), ...ruledAbout(item.call.call_id)].slice(0, PLACES_MAX);
    case 'wake':
      return [history.placeAt(now_ms), ...ruledAbout(item.call_id)].slice(0, PLACES_MAX);
    case 'input': {
      const { event, timestamp_ms } = item.event;
      return [history.placeAt(now_ms), history.placeAt(timestamp_ms), ...ruledAbout(event.meta.call_id)].slice(0, PLACES_MAX);
    }
  }

  function ruledAbout(call_id: string | null): Place[] {
    const recorded = [...(records.get(call_id ?? '')?.rulings.values() ?? [])];
    const then = recorded.filter((ruling) => Math.abs(records.statedAt(ruling) - now_ms) <= SAME_MS);
    return then.map((ruling) => history.placeOf(ruling.event.config_offset, ruling.timestamp_ms));
  }
}
