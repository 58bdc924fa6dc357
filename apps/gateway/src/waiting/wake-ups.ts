import type { EventCodec } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import type { WakeUpChannel } from '@countersign/process';
import type { CallBoard } from './call-board.js';
import { peekCallId } from './peek.js';

/** Its place on the log is not known from a hint. */
const UNPLACED = -1;

/** Takes the hints of the executors (distributed only): a result that is on the log already, before the follower has read it. */
export async function takeHints(
  channel: WakeUpChannel,
  lanes: readonly string[],
  parts: { board: CallBoard; codec: EventCodec; now_ms: () => number },
): Promise<void> {
  const { board, codec, now_ms } = parts;
  const handler = (value: Buffer) => {
    const callId = peekCallId(value);
    const id = codec.schemaId(value);
    if (callId === undefined || !board.has(callId) || id === undefined || !codec.knows(id)) return;
    const tagged = codec.decode(value);
    if (tagged.event_type !== 'tool_executed' && tagged.event_type !== 'tool_retry_deduplicated') return;
    const { partition } = tagged.event.meta;
    board.apply({ ...tagged, topic: 'tool-executed', partition, offset: UNPLACED, timestamp_ms: now_ms() } as PlacedEvent);
  };
  for (const lane of lanes) await channel.subscribe(lane, handler);
}
