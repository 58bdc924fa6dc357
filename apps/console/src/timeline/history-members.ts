/** What a timeline reads of each line. Inputs and results are not among it: they can be a megabyte each. */
export const HISTORY_MEMBERS = [
  ...['type', 'at', 'event_id', 'call_id', 'tool', 'decision', 'approval', 'by', 'reason', 'error', 'duration_ms', 'retry_count'],
  ...['original_call_id', 'effect_now', 'rationale', 'saga_id', 'status', 'withheld', 'vote', 'to', 'refused_because'],
].join(',');
