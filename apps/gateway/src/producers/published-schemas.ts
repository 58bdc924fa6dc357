import { producerSchemas } from '@countersign/contracts';
import type { SchemaSource } from '@countersign/event-log';

/** The Avro schemas of producers in the registry, where producers find them. */
export class PublishedSchemas {
  private are_published = false;

  /** @param registry absent: producers write JSON only */
  constructor(private readonly registry: Pick<SchemaSource, 'publish'> | undefined) {}

  /** Once. @throws InfrastructureFault if the registry is unavailable or refuses a schema */
  async publish(): Promise<void> {
    if (this.are_published) return;
    for (const { subject, schema } of Object.values(producerSchemas)) await this.registry?.publish(subject, schema);
    this.are_published = true;
  }
}
