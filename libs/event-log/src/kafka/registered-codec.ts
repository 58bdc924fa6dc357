import {
  avroFingerprint,
  type EventCodec,
  type EventSchema,
  eventSchemas,
  InfrastructureFault,
  UndecodableRecord,
} from '@countersign/contracts';
import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import { LRUCache } from 'lru-cache';
import { retried, retryPlans } from '../retries.js';
import type { SchemaSource } from '../transport/batch-decoder.js';

const UNKNOWN_FOR_MS = 10_000;
const UNKNOWN_MAX = 10_000;
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
  /** Schemas that the registry did not know, or that are of no use here. */
  private readonly unknown = new LRUCache<number, true>({ max: UNKNOWN_MAX, ttl: UNKNOWN_FOR_MS });

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
    const known = await Promise.all(ordered.map((schema) => this.registered(subjectOf(schema), schema.schema)));
    for (const [index, schema] of ordered.entries()) {
      const id = known[index] ?? (await this.register(subjectOf(schema), schema.schema));
      if (newest.get(schema.event_type) === schema) this.codec.assignId(schema.event_type, id);
      else this.codec.addWriterSchema(id, schema.schema);
    }
  }

  async learn(schemaId: number): Promise<void> {
    if (this.unknown.has(schemaId)) return;
    const text = await this.find(schemaId);
    if (text !== undefined && this.teach(schemaId, text)) this.unknown.delete(schemaId);
    else this.unknown.set(schemaId, true);
  }

  async fingerprint(schemaId: number): Promise<string | undefined> {
    if (this.unknown.has(schemaId)) return undefined;
    const text = await this.find(schemaId);
    const fingerprint = text === undefined ? undefined : avroFingerprint(text);
    if (fingerprint === undefined) this.unknown.set(schemaId, true);
    return fingerprint;
  }

  async publish(subject: string, schema: string): Promise<number> {
    return (await this.registered(subject, schema)) ?? (await this.register(subject, schema));
  }

  /** The id of a schema that is already registered, which is the case at every start but the first. */
  private async registered(subject: string, schema: string): Promise<number | undefined> {
    try {
      return await this.registry.getRegistryIdBySchema(subject, { type: SchemaType.AVRO, schema });
    } catch (cause) {
      if ((cause as { name?: string }).name === 'ConfluentSchemaRegistryError') return undefined; // wraps a 404
      throw new InfrastructureFault(`the schema registry did not answer whether ${subject} is registered`, { cause });
    }
  }

  /** Services start together: a refusal may only mean that another one registers the same schema now. */
  private register(subject: string, schema: string): Promise<number> {
    return retried(retryPlans.schema_registration, async (attempt) => {
      const id = attempt > 1 ? await this.registered(subject, schema) : undefined;
      return id ?? (await this.registerOnce(subject, schema));
    });
  }

  private async registerOnce(subject: string, schema: string): Promise<number> {
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

const subjectOf = ({ topic, event_type }: EventSchema): string => `${topic}-${event_type}`;

function statusOf(error: unknown): number | undefined {
  return typeof error === 'object' && error !== null ? (error as { status?: number }).status : undefined;
}
