import { type EventCodec, laneTopic, UndecodableRecord } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import { decodeHint, type WakeUpChannel } from '@countersign/process';
import { peekCallId } from './peek.js';
import type { WatchedCalls } from './watched-calls.js';

interface HintParts {
  watchedCalls: WatchedCalls;
  codec: EventCodec;
  now_ms: () => number;
}

/** Receives the hints of the executors (distributed only): results that are already on the log but not yet read by the follower. */
export async function takeHints(channel: WakeUpChannel, lanes: readonly string[], parts: HintParts): Promise<void> {
  for (const lane of lanes) await channel.subscribe(lane, (payload) => take(payload, lane, parts));
}

function take(payload: Buffer, lane: string, { watchedCalls, codec, now_ms }: HintParts): void {
  const hint = decodeHint(payload);
  if (!hint) return;
  const callId = peekCallId(hint.value);
  const id = codec.schemaId(hint.value);
  if (callId === undefined || !watchedCalls.has(callId) || id === undefined || !codec.knows(id)) return;
  const tagged = decoded(codec, hint.value);
  if (tagged?.event_type !== 'tool_executed' && tagged?.event_type !== 'tool_retry_deduplicated') return;
  const { partition } = tagged.event.meta;
  watchedCalls.apply({
    ...tagged,
    topic: laneTopic('tool-executed', lane),
    partition,
    offset: hint.offset,
    timestamp_ms: now_ms(),
  } as PlacedEvent);
}

function decoded(codec: EventCodec, value: Buffer): ReturnType<EventCodec['decode']> | undefined {
  try {
    return codec.decode(value);
  } catch (cause) {
    if (cause instanceof UndecodableRecord) return undefined; // another format
    throw cause;
  }
}
