/** Prefix of our keys in `_meta`: the reverse domain name of Countersign. */
const PREFIX = 'dev.countersign/';

/** Our keys in the `_meta` of requests, results and tools. */
export const META = {
  /** Of a listed tool: what the hints leave out. */
  tool: `${PREFIX}tool`,
  /** Of a `tools/call` request: members of the body of `POST /v1/calls`. Of its result: members of the envelope. */
  call: `${PREFIX}call`,
  /** Of a `tools/call` request, shorter forms of `call.case_id`, `call.context.run_id` and `call.context.seq`. */
  case_id: `${PREFIX}case_id`,
  run_id: `${PREFIX}run_id`,
  seq: `${PREFIX}seq`,
  /** Of a progress notification: the id of the call that makes progress. */
  call_id: `${PREFIX}call_id`,
} as const;

/** The optional argument of write tools that asks for a wanted repeat. */
export const OCCURRENCE_ARGUMENT = 'countersign_occurrence';
