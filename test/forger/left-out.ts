import type { PlacedEvent } from '@countersign/domain';
import { type Bundle, type BundledRecord, callSummary } from '@countersign/evidence';
import type { Random } from './random.js';

/** What a server that leaves something out gives instead of a bundle; undefined: the call has nothing of the kind. */
export type Omission = (bundle: Bundle, random: Random) => Bundle | undefined;

const eventOf = (record: BundledRecord): PlacedEvent => record as unknown as PlacedEvent;
const metaOf = (record: BundledRecord) => eventOf(record).event.meta;

/** The bundle with these records, and with the state that follows from them: all that the forger can make right is right. */
export function shownAs(bundle: Bundle, records: BundledRecord[]): Bundle {
  const calls = bundle.calls.map(({ call_id }) =>
    callSummary(call_id, records.filter((record) => metaOf(record).call_id === call_id).map(eventOf)),
  );
  return { ...bundle, records, calls };
}

function without(bundle: Bundle, random: Random, is: (record: BundledRecord) => boolean): Bundle | undefined {
  const found = bundle.records.filter(is);
  if (found.length === 0) return undefined;
  const dropped = random.pick(found);
  return shownAs(
    bundle,
    bundle.records.filter((record) => record !== dropped),
  );
}

const isRequest = ({ event_type }: BundledRecord) => event_type === 'tool_call_requested';

/** A record from which another one of the bundle follows by its hash. */
const ancestor: Omission = (bundle, random) => {
  const causes = new Set(bundle.records.filter((record) => metaOf(record).cause_hash != null).map((record) => metaOf(record).causation_id));
  return without(bundle, random, (record) => causes.has(metaOf(record).event_id) && !isRequest(record));
};

/** A vote that a record of policy counts, refuses or grants by. */
const vote: Omission = (bundle, random) => {
  const named = new Set(
    bundle.records.map(eventOf).flatMap((at) => {
      if (at.event_type === 'approval_granted' && at.event.joined_call_id === null) return at.event.votes.map(({ vote_id }) => vote_id);
      return at.event_type === 'approval_vote_counted' || at.event_type === 'approval_vote_refused' ? [at.event.vote_id] : [];
    }),
  );
  return without(bundle, random, (record) => {
    const at = eventOf(record);
    return at.event_type === 'approval_voted' && named.has(at.event.vote_id);
  });
};

/** A ruling, while another record names its revision or a later one. */
const revision: Omission = (bundle, random) => {
  const named = bundle.records
    .map(eventOf)
    .flatMap((at) => ('revision' in at.event && at.event_type !== 'policy_decided' ? [at.event.revision] : []));
  const last = Math.max(0, ...named);
  return without(bundle, random, (record) => {
    const at = eventOf(record);
    return at.event_type === 'policy_decided' && at.event.revision <= last;
  });
};

/** The start of a run whose effect is shown. */
const start: Omission = (bundle, random) => {
  const happened = bundle.records.map(eventOf).some((at) => at.event_type === 'tool_executed' && at.event.outcome.effect === 'happened');
  return happened ? without(bundle, random, ({ event_type }) => event_type === 'tool_call_started') : undefined;
};

/** Two records of one call and topic, each with its own proof, in the place of the other. */
const swapped: Omission = (bundle, random) => {
  const pairs = bundle.records.flatMap((one, at) => {
    const next = bundle.records.findIndex(
      (other, n) => n > at && other.topic === one.topic && metaOf(other).call_id === metaOf(one).call_id,
    );
    return next < 0 || metaOf(one).call_id === null ? [] : [[at, next] as const];
  });
  if (pairs.length === 0) return undefined;
  const [a, b] = random.pick(pairs);
  const records = [...bundle.records];
  [records[a], records[b]] = [bundle.records[b] as BundledRecord, bundle.records[a] as BundledRecord];
  return shownAs(bundle, records);
};

/** What a server can leave out, or move, without changing a record. */
export const omissions = { ancestor, vote, revision, start, swapped } satisfies Record<string, Omission>;

/** The end of the call and what followed it: no record of the bundle follows from them. */
export const laterEffect: Omission = (bundle, random) =>
  without(bundle, random, ({ event_type }) => event_type === 'tool_executed' || event_type === 'tool_call_resolved');
