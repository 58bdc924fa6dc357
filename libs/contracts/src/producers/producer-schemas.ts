import avro from 'avsc';

const optional = (name: string, doc: string) => ({ name, type: ['null', 'string'], default: null, doc });

/**
 * What a producer writes, as Avro. Only texts, each of which takes as many bytes as it is long: an array or a map could declare a
 * thousand million empty items in ten bytes. Lists and objects are JSON texts.
 */
const requested = {
  type: 'record',
  name: 'tool_call_requested',
  namespace: 'countersign.producer',
  doc: 'Asks for a call, as POST /v1/calls does. A member whose name ends with _json is JSON text of the member without that ending.',
  fields: [
    { name: 'tool', type: 'string' },
    optional('version', '`1.2.3`, `^1.2.0` or `~1.2.0`. Null: the newest active version.'),
    // Not a string with the default `{}`: a registry (Apicurio 3.0) then takes the schema for none.
    optional('inputs_json', 'The inputs of the tool: a JSON object.'),
    optional('case_id', 'The id of a case, or `ext:` and its external_id.'),
    optional('external_id', 'Your own reference of this request, unique in the tenant.'),
    optional('metadata_json', 'Your own keys and values: a JSON object of texts.'),
    optional('occurrence', 'A new value runs an equal call again.'),
    optional('context_json', 'What the agent states about the call (run_id, seq, request_id and others): a JSON object.'),
    optional('deadline', 'RFC 3339. The tool does not start after it.'),
    optional('callback_url', 'Receives the envelope when the call ends.'),
    optional('on_behalf_of', 'The user that the agent acts for.'),
    optional('user_token', 'An OpenID token of that user. It stays on the topic until the topic drops the record.'),
    optional('sources_json', 'Calls whose results the inputs use: a JSON array of ids.'),
    optional('idempotency_key', 'As the header Idempotency-Key of a POST.'),
  ],
} as const;

const cancelRequested = {
  type: 'record',
  name: 'tool_call_cancel_requested',
  namespace: 'countersign.producer',
  doc: 'Asks to cancel a call before it fires. Exactly one of call_id, request_id and external_id names it.',
  fields: [
    optional('call_id', 'The id of the call.'),
    optional('request_id', 'context.request_id of the request, or topic/partition/offset of its record.'),
    optional('external_id', 'external_id of the request.'),
    optional('reason', 'Why.'),
  ],
} as const;

export type ProducerRecordType = 'tool_call_requested' | 'tool_call_cancel_requested';

/** The Avro schemas of producers, by the type of the record. The registry has each under its full name. */
export const producerSchemas: Readonly<Record<ProducerRecordType, { subject: string; schema: string }>> = {
  tool_call_requested: { subject: 'countersign.producer.tool_call_requested', schema: JSON.stringify(requested) },
  tool_call_cancel_requested: { subject: 'countersign.producer.tool_call_cancel_requested', schema: JSON.stringify(cancelRequested) },
};

/** Equal for schemas that encode alike (their docs and defaults may differ). Undefined if the text is no Avro schema. */
export function avroFingerprint(schema: string): string | undefined {
  try {
    return avro.Type.forSchema(JSON.parse(schema)).fingerprint('sha256').toString('hex');
  } catch {
    return undefined;
  }
}

export interface ProducerRecord {
  record_type: ProducerRecordType;
  fields: Readonly<Record<string, string | null>>;
}

/** Decodes what producers write as Avro. Takes only `producerSchemas`: another writer's schema could make ten bytes a thousand million items. */
export class ProducerCodec {
  private readonly known = new Map<string, { record_type: ProducerRecordType; type: avro.Type }>();

  constructor() {
    for (const [record_type, { schema }] of Object.entries(producerSchemas)) {
      const type = avro.Type.forSchema(JSON.parse(schema), { omitRecordMethods: true });
      this.known.set(avroFingerprint(schema) as string, { record_type: record_type as ProducerRecordType, type });
    }
  }

  knows(fingerprint: string): boolean {
    return this.known.has(fingerprint);
  }

  /** Undefined if the schema is not one of `producerSchemas`, or the bytes are malformed. */
  decode(fingerprint: string, body: Buffer): ProducerRecord | undefined {
    const schema = this.known.get(fingerprint);
    if (!schema) return undefined;
    try {
      return { record_type: schema.record_type, fields: { ...schema.type.fromBuffer(body) } };
    } catch {
      return undefined;
    }
  }
}
