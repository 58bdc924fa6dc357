import { isUtf8 } from 'node:buffer';
import { Refusal } from '@countersign/calls';
import { ProducerCodec, type ProducerRecord } from '@countersign/contracts';
import { prototypeKey, tooDeep } from '@countersign/definitions';
import type { SchemaSource } from '@countersign/event-log';
import { BODY_BYTES_MAX } from '../bounds/http-limits.js';
import type { Problem } from '../http/problem.js';
import { refusedHazard } from '../requests/nesting.js';

/** The first byte of Confluent's wire format; no JSON text begins with it. */
const MAGIC = 0;
const HEADER_BYTES = 5;
const JSON_ENDING = '_json';

const malformed = (detail: string): Problem => new Refusal<Problem['kind']>('malformed-body', detail);

/** Reads the value of a producer's record: JSON, or Avro with one of our schemas from the registry. What it says is checked elsewhere. */
export class RecordValues {
  private readonly codec = new ProducerCodec();

  /** @param schemas absent: no registry, so no Avro */
  constructor(private readonly schemas: Pick<SchemaSource, 'fingerprint'> | undefined) {}

  /** @throws InfrastructureFault if the registry is unavailable */
  async read(value: Buffer): Promise<unknown | Problem> {
    if (value.length === 0) return malformed('the record has no value');
    if (value.length > BODY_BYTES_MAX) return new Refusal<Problem['kind']>('body-too-large', 'the value may have at most 1 MB');
    const read = value[0] === MAGIC ? await this.avro(value) : jsonOf(value);
    if (read instanceof Refusal) return read;
    const hazard = tooDeep(read) ?? prototypeKey(read);
    return hazard ? refusedHazard(hazard) : read;
  }

  private async avro(value: Buffer): Promise<unknown | Problem> {
    if (!this.schemas) return malformed('Avro needs a schema registry, which this installation has not');
    if (value.length < HEADER_BYTES) return malformed('the value is neither JSON nor in the wire format of the schema registry');
    const id = value.readUInt32BE(1);
    const fingerprint = await this.schemas.fingerprint(id);
    if (fingerprint === undefined || !this.codec.knows(fingerprint))
      return malformed(`schema ${id} is not a schema of producers: use those of /asyncapi.json`);
    const record = this.codec.decode(fingerprint, value.subarray(HEADER_BYTES));
    return record ? plainOf(record) : malformed(`the value does not have the form of schema ${id}`);
  }
}

function jsonOf(value: Buffer): unknown | Problem {
  if (!isUtf8(value)) return malformed('the value is not UTF-8');
  return parsed(value.toString(), 'the value');
}

function parsed(text: string, what: string): unknown | Problem {
  try {
    return JSON.parse(text);
  } catch {
    return malformed(`${what} is not valid JSON`);
  }
}

/** The same as JSON: absent members in place of nulls, values in place of their JSON texts. */
function plainOf({ record_type, fields }: ProducerRecord): Record<string, unknown> | Problem {
  const plain: Record<string, unknown> = { event_type: record_type };
  for (const [name, text] of Object.entries(fields)) {
    if (text === null) continue;
    const isJson = name.endsWith(JSON_ENDING);
    const value = isJson ? parsed(text, name) : text;
    if (value instanceof Refusal) return value;
    plain[isJson ? name.slice(0, -JSON_ENDING.length) : name] = value;
  }
  return plain;
}
