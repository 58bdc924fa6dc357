import { BUNDLE_FORMAT } from '@countersign/evidence';
import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

const hash = z.string().nullable();
const path = z.array(z.string()).describe('hashes, base64');
const note = z.string().describe('C2SP signed note');

/** A log record as the audit shows it. */
const auditEvent = z.object({
  event_id: z.string(),
  type: z.string(),
  recorded_at: timeOf.describe('time when the log appended it'),
  time: timeOf.describe('the same as `recorded_at`'),
  tenant_id: z.string(),
  caller: z.string().nullable().describe('the caller of the call; for an event without a call, the principal that caused it'),
  on_behalf_of: z.string().nullable(),
  actor: z.string().nullable().describe('the principal that caused this event, if the event names one'),
  call_id: z.string().nullable(),
  case_id: z.string().nullable(),
  run_id: z.string().nullable(),
  tool: z.string().nullable(),
  args_hash: hash.describe("SHA-256 of the call's canonical inputs, hex"),
  result_hash: hash.describe('SHA-256 (hex) of the recorded result: the text of the output, else the code and message of the error'),
  decision_id: z.string().nullable(),
  approval_id: z.string().nullable(),
  causation_id: z.string().nullable(),
  correlation_id: z.string(),
  hlc: z.number().describe('hybrid logical clock'),
  topic: z.string(),
  partition: z.int(),
  offset: z.int(),
  refused_because: z
    .enum(['base_moved'])
    .nullable()
    .describe('set for a configuration change that was rejected because its base version had moved'),
});

export const auditEventPage = pageOfItems(auditEvent.meta({ id: 'AuditEvent' })).meta({ id: 'AuditEventPage' });
export const auditEventAnswer = auditEvent
  .extend({ event: z.unknown().describe('the full content of the record') })
  .meta({ id: 'AuditEventInFull' });

const generation = z
  .object({
    number: z.int().describe('2 for the first tree after the original one'),
    base_offset: z.int().describe('log offset of leaf 0'),
    decision: z.string().describe('event_id of the `damage_accepted` that opened it'),
  })
  .meta({ id: 'TreeGeneration' });

const cut = z
  .object({ number: z.int(), state: z.enum(['closed', 'open']) })
  .meta({ id: 'Cut' })
  .describe('place of the entry in the order of the log; `open`: it proves no order. Absent in entries of earlier releases');

const treePath = z.object({
  tree: z
    .object({ size: z.int(), path, generation: generation.optional().describe('absent for the original tree') })
    .describe("the tree of the record's partition, and the path of the record in it"),
  head: z.object({ index: z.int(), path }).describe('position of that tree among the heads of all partitions'),
  entry: z
    .object({ number: z.int(), time_ms: z.int(), trees: z.int(), path, cut: cut.optional() })
    .describe("the entry with the heads' root, and its path in the tree that the checkpoint signs"),
});

const recordFields = {
  topic: z.string(),
  partition: z.int(),
  offset: z.int(),
  timestamp_ms: z.int(),
  key: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  value: z.string().describe('base64: Avro in the Confluent wire format'),
};

export const proofAnswer = z
  .object({
    record: z.object(recordFields).meta({ id: 'LogRecord' }),
    event_type: z.string().optional(),
    stream: z.string().describe('the topic without its lane'),
    proof: treePath.extend({ checkpoint: note }).meta({ id: 'RecordProof' }),
    vkey: z.string().describe('the public key of checkpoints (C2SP signed note)'),
  })
  .meta({ id: 'ProvenRecord' });

const recordBytes = z
  .object({
    timestamp_ms: recordFields.timestamp_ms,
    key: recordFields.key,
    headers: recordFields.headers,
    value: recordFields.value,
  })
  .meta({ id: 'RecordBytes' });

export const leavesAnswer = z
  .object({
    topic: recordFields.topic,
    partition: recordFields.partition,
    first: z.int().describe('offset of the first leaf; larger than asked for if earlier records were dropped'),
    leaves: z
      .array(
        z
          .object({
            leaf: z.string().describe('hash of the leaf, base64'),
            record: recordBytes.optional().describe("absent if it is another tenant's"),
          })
          .meta({ id: 'AuditLeaf' }),
      )
      .describe('consecutive; empty at the end of the log'),
    schemas: z.record(z.string(), z.string()).describe('schema id → text of the Avro schema'),
  })
  .meta({ id: 'AuditLeaves' });

const token = z.string().describe('RFC 3161 token in DER, base64; docs/reference/proofs.md says which bytes it covers');

const bundledCall = z
  .object({
    call_id: z.string(),
    status: z.string(),
    tool: z.string().nullable(),
    rulings: z.array(
      z.object({ decision_id: z.string(), revision: z.int(), effect: z.string(), rule: z.string(), bundle_version: z.string() }),
    ),
    viewed: z.array(z.object({ by: z.string(), at_ms: z.int() })),
    votes: z.array(z.object({ by: z.string(), vote: z.string(), at_ms: z.int() })),
  })
  .meta({ id: 'BundledCall' });

const bundledRecord = z
  .object({ ...recordFields, event_type: z.string(), event: z.unknown().describe('the decoded `value`'), proof: treePath })
  .meta({ id: 'BundledRecord' });

const bundledCase = z
  .object({
    leaf: bundledRecord.describe('the newest leaf of the case in the tree of cases'),
    steps: z.array(
      z
        .object({
          entry: z.int(),
          cut: z.int(),
          records: z
            .array(z.union([z.int(), z.string()]))
            .describe('index in `records`, or the leaf hash (base64) of a record outside of the bundle'),
        })
        .meta({ id: 'CaseStep' }),
    ),
  })
  .meta({ id: 'BundledCase' });

export const bundleAnswer = z
  .object({
    format: z.literal(BUNDLE_FORMAT),
    tenant_id: z.string(),
    subject: z.union([z.object({ call_id: z.string() }), z.object({ case_id: z.string() })]),
    made_at_ms: z.int(),
    calls: z.array(bundledCall),
    records: z.array(bundledRecord).describe('records of the calls and of the configuration in force, oldest first'),
    schemas: z.record(z.string(), z.string()).describe('schema id → text of the Avro schema'),
    checkpoint: note,
    case: bundledCase.optional(),
    timestamp: z.object({ token }).optional().describe('a timestamp of the checkpoint; only with `timestamped=true`'),
    vkey: z.string(),
  })
  .meta({ id: 'AuditBundle' });

export const timestampAnswer = z
  .object({
    size: z.int().describe('size of the checkpoint'),
    checkpoint: note,
    token,
    time_ms: z.int().describe('time in the token'),
  })
  .meta({ id: 'CheckpointTimestamp' });

export const cosignatureRequest = z.strictObject({ note: z.string().min(1).max(100_000) });
export const cosignatureAnswer = z
  .object({ witnesses: z.array(z.string()).describe('the witnesses whose cosignatures were stored') })
  .meta({ id: 'Cosignatures' });

export const consistencyAnswer = z
  .object({ first: z.int(), second: z.int(), path, checkpoint: note.describe('the newest checkpoint, of size `second`') })
  .meta({ id: 'ConsistencyProof' });

const size = z.int().describe('size of the tree');
const root = z.string().describe('root, base64');
const head = z
  .tuple([z.string(), z.int(), size, root, generation.optional()])
  .describe('topic, partition, size, root, and the generation if it is not the original tree');
const move = z
  .tuple([z.string(), z.int(), size, root, path, generation.optional()])
  .describe('topic, partition, size, root, consistency proof, and the generation if it is not the original tree');
const decision = z
  .object({
    offset: z.int(),
    timestamp_ms: z.int(),
    key: z.string().nullable(),
    headers: recordFields.headers,
    value: recordFields.value,
    schema: z.string(),
    path,
  })
  .meta({ id: 'DamageDecision' });

export const headsAnswer = z
  .object({
    entry: z.object({ number: z.int(), time_ms: z.int(), path, cut: cut.optional() }).describe('the last entry of the checkpoint'),
    heads: z.array(head),
    checkpoint: note,
  })
  .meta({ id: 'CoveredHeads' });

export const entriesAnswer = z
  .object({
    first: z.int().describe('number of the first entry'),
    entries: z.array(
      z
        .object({
          number: z.int(),
          time_ms: z.int(),
          moved: z.array(move),
          cut: cut.optional(),
          decisions: z.array(decision).optional().describe('the decision records that allowed new trees in this entry'),
        })
        .meta({ id: 'CheckpointEntry' }),
    ),
    checkpoint: z.string().describe('C2SP signed note that ends with the last entry of the page'),
  })
  .meta({ id: 'CheckpointEntries' });
