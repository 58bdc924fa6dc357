import { ToolError } from '@countersign/tool-kit';
import type { UpstreamCredentials } from './upstream.js';

/** Shorter values would mask words of every text. */
const SECRET_CHARS_MIN = 4;
const MASK = '[secret]';

/** Removes the values of credentials from what a server says: it knows them and may repeat them. */
export class SecretMask {
  private readonly values: readonly string[];

  constructor({ bearer, env = {} }: UpstreamCredentials) {
    const values = [...(bearer === undefined ? [] : [bearer]), ...Object.values(env)].filter((value) => value.length >= SECRET_CHARS_MIN);
    this.values = values.sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    return this.values.reduce((masked, value) => masked.replaceAll(value, MASK), text);
  }

  error(error: ToolError): ToolError {
    if (this.values.length === 0) return error;
    const { details, ...more } = error.more;
    return new ToolError(error.code, this.text(error.message), details === undefined ? more : { ...more, details: this.json(details) });
  }

  /** A value of JSON with every text masked, names included. */
  json<T>(value: T): T {
    if (this.values.length === 0) return value;
    const masked = this.values.reduce((text, secret) => text.replaceAll(JSON.stringify(secret).slice(1, -1), MASK), JSON.stringify(value));
    return JSON.parse(masked) as T;
  }
}
