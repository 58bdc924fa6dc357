import { type EventCodec, type EventSchema, eventSchemas, InfrastructureFault, UndecodableRecord } from '@countersign/contracts';
import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import { retried, retryPlans } from '../retries.js';
import type { SchemaSource } from '../transport/batch-decoder.js';

const UNKNOWN_FOR_MS = 10_000;
const NOT_FOUND = 404;
const CONFLICT = 409;

/** The registry refuses a schema of this build because consumers of the older version could not read it. No service may start with it. */
export class IncompatibleSchema extends Error {
  readonly code = 'INCOMPATIBLE_SCHEMA';
}

/**
 * Connects the codec to a registry with Confluent's API. Each event has its own subject, `<topic>-<event_type>`, which only accepts
 * BACKWARD compatible versions. Schemas are registered in the order of their embedded ids, so that a new registry assigns the same ids.
 */
export class RegisteredCodec implements SchemaSource {
  private readonly registry: SchemaRegistry;
  private readonly unknown = new Map<number, number>();

  constructor(
    url: string,
    private readonly codec: EventCodec,
    private readonly schemas: readonly EventSchema[] = eventSchemas,
  ) {
    this.registry = new SchemaRegistry({ host: url, retry: { retries: 3, initialRetryTimeInSecs: 0.2, maxRetryTimeInSecs: 1 } });
  }

  /**
   * Registers every schema of this build and writes with the assigned ids.
   * @throws IncompatibleSchema if the registry refuses one; InfrastructureFault if it is unavailable.
   */
  async start(): Promise<void> {
    const ordered = [...this.schemas].sort((a, b) => a.id - b.id);
    const newest = new Map(ordered.map((schema) => [schema.event_type, schema]));
    const known = await Promise.all(ordered.map((schema) => this.registered(schema)));
    for (const [index, schema] of ordered.entries()) {
      const id = known[index] ?? (await this.register(schema));
      if (newest.get(schema.event_type) === schema) this.codec.assignId(schema.event_type, id);
      else this.codec.addWriterSchema(id, schema.schema);
    }
  }

  async learn(schemaId: number): Promise<void> {
    const unknown_until_ms = this.unknown.get(schemaId) ?? 0;
    if (performance.now() < unknown_until_ms) return;
    const text = await this.find(schemaId);
    if (text !== undefined && this.teach(schemaId, text)) this.unknown.delete(schemaId);
    else this.unknown.set(schemaId, performance.now() + UNKNOWN_FOR_MS);
  }

  /** The id of a schema that is already registered, which is the case at every start but the first. */
  private async registered({ topic, event_type, schema }: EventSchema): Promise<number | undefined> {
    const subject = `${topic}-${event_type}`;
    try {
      return await this.registry.getRegistryIdBySchema(subject, { type: SchemaType.AVRO, schema });
    } catch (cause) {
      if ((cause as { name?: string }).name === 'ConfluentSchemaRegistryError') return undefined; // wraps a 404
      throw new InfrastructureFault(`the schema registry did not answer whether ${subject} is registered`, { cause });
    }
  }

  /** Services start together: a refusal may only mean that another one registers the same schema now. */
  private register(schema: EventSchema): Promise<number> {
    return retried(retryPlans.schema_registration, async (attempt) => {
      const id = attempt > 1 ? await this.registered(schema) : undefined;
      return id ?? (await this.registerOnce(schema));
    });
  }

  private async registerOnce({ topic, event_type, schema }: EventSchema): Promise<number> {
    const subject = `${topic}-${event_type}`;
    try {
      const { id } = await this.registry.register({ type: SchemaType.AVRO, schema }, { subject, compatibility: COMPATIBILITY.BACKWARD });
      return id;
    } catch (cause) {
      if (statusOf(cause) === CONFLICT)
        throw new IncompatibleSchema(`the schema registry rejects the schema of ${subject}: it is not BACKWARD compatible`, { cause });
      throw new InfrastructureFault(`the schema of ${subject} could not be registered`, { cause });
    }
  }

  /** The schema's text, or undefined if the registry does not know it. */
  private async find(schemaId: number): Promise<string | undefined> {
    try {
      const type = (await this.registry.getSchema(schemaId)) as unknown as {
        schema(options: { exportAttrs: boolean }): unknown;
      };
      return JSON.stringify(type.schema({ exportAttrs: true }));
    } catch (cause) {
      if (statusOf(cause) === NOT_FOUND) return undefined;
      throw new InfrastructureFault(`schema ${schemaId} could not be fetched from the registry`, { cause });
    }
  }

  private teach(schemaId: number, text: string): boolean {
    try {
      this.codec.addWriterSchema(schemaId, text);
      return true;
    } catch (cause) {
      if (cause instanceof UndecodableRecord) return false; // an event that this build does not know
      throw cause;
    }
  }
}

function statusOf(error: unknown): number | undefined {
  return typeof error === 'object' && error !== null ? (error as { status?: number }).status : undefined;
}
