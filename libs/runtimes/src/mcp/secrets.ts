import { setImmediate as turn } from 'node:timers/promises';
import { Masker } from '@countersign/outbound';
import { ToolError } from '@countersign/tool-kit';
import type { UpstreamCredentials } from './upstream.js';

/** Shorter values would mask words of every text. */
const SECRET_CHARS_MIN = 4;
/** Members that are masked in one turn of the event loop. */
const AT_ONCE = 16;

/** Removes the values of credentials from what a server says: it knows them and may repeat them. */
export class UpstreamMask {
  /** Undefined: there are no values. */
  private readonly masker: Masker | undefined;

  constructor({ bearer, env = {} }: UpstreamCredentials) {
    const values = [...(bearer === undefined ? [] : [bearer]), ...Object.values(env)].filter((value) => value.length >= SECRET_CHARS_MIN);
    if (values.length > 0) this.masker = new Masker(values);
  }

  text(text: string): string {
    return this.masker?.text(text) ?? text;
  }

  error(error: ToolError): ToolError {
    if (!this.masker) return error;
    const { details, ...more } = error.more;
    return new ToolError(error.code, this.text(error.message), details === undefined ? more : { ...more, details: this.record(details) });
  }

  /** A JSON value with every text masked, names included. */
  record<T>(value: T): T {
    return this.masker ? this.masker.record(value) : value;
  }

  /** The same for each of many values: lists of tools are long. */
  async each<T>(values: readonly T[]): Promise<T[]> {
    const masked: T[] = [];
    for (const value of this.masker ? values : []) {
      if (masked.length % AT_ONCE === AT_ONCE - 1) await turn();
      masked.push(this.record(value));
    }
    return this.masker ? masked : [...values];
  }
}
