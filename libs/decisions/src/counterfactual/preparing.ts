import { rulingBundles } from '@countersign/domain';
import { compiledBundles } from '@countersign/policy';
import { changesOf } from './change.js';
import type { Place } from './configuration-history.js';
import type { Item, SimulatedWorld } from './simulated-world.js';

/** Times that are the same but for what a clock may differ by. */
const SAME_MS = 5;
/** Rulings on one call within a moment, and what else one item asks for. */
const PLACES_MAX = 4;

/** Folds and compiles what deciding on an item needs, a little a step: what is decided then finds it at hand. */
export function* prepared(world: SimulatedWorld, item: Item): Generator<void> {
  const { history, recording } = world;
  const places = placesOf(world, item);
  yield* history.reach(places);
  for (const place of places)
    for (const text of Object.values(rulingBundles(history.reached(place), recording.tenant_id))) yield* compiledBundles.steps(text);
}

/** Positions of the configuration that may be needed. */
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
