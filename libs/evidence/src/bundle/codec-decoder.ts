import { EventCodec, eventSchemas } from '@countersign/contracts';
import type { RecordDecoder } from '@countersign/verifier';

/** Decodes the records of a bundle with the codec of the log. */
export class CodecDecoder implements RecordDecoder {
  private readonly codec = new EventCodec();

  addSchema(id: number, text: string): boolean {
    if (!eventSchemas.some(({ schema }) => schema === text)) return false;
    this.codec.addWriterSchema(id, text);
    return true;
  }

  decode(value: Uint8Array): { event_type: string; event: unknown } {
    return this.codec.decode(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }
}
