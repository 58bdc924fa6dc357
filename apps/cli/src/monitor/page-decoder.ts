import { CodecDecoder } from '@countersign/evidence';
import type { OwnRecord } from './followed-tree.js';

/** Decodes the records of pages. Each schema is compiled once: that takes far longer than a record. */
export class PageDecoder {
  private readonly decoder = new CodecDecoder();
  private readonly known = new Map<number, string>();

  /** Learns the schemas of a page: id → text. */
  learn(schemas: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(schemas)) {
      const id = Number(name);
      if (this.known.get(id) === text) continue;
      this.known.set(id, text);
      this.decoder.addSchema(id, text);
    }
  }

  /** Undefined for a record that this release cannot read. */
  decode(value: Buffer): OwnRecord['decoded'] {
    try {
      return this.decoder.decode(value);
    } catch {
      return undefined;
    }
  }
}
