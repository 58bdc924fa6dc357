import { MARK, SECRET } from '../tenants/acme.js';

const ITEMS_MAX = 2;
const CHARACTERS_MAX = 300;
const TIME = '2026-01-02T03:04:05.000Z';
const TIME_MS = Date.parse(TIME);

/** What stands for all keys and tokens in examples. */
export const EXAMPLE_KEY = `csk_${'EXAMPLE'.repeat(7).slice(0, 43)}`;
const EXAMPLE_SECRET = `whsec_${'EXAMPLE'.repeat(7).slice(0, 43)}=`;
const EXAMPLE_BASE64 = `${'EXAMPLE'.repeat(7).slice(0, 43)}=`;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const HEX = /(?<![0-9A-Za-z])[0-9a-f]{16,}(?![0-9A-Za-z])/g;
const BASE64 = /(?<![A-Za-z0-9+/_=-])(?=[A-Za-z0-9+/_-]*[A-Z])(?=[A-Za-z0-9+/_-]*[a-z])(?=[A-Za-z0-9+/_-]*\d)[A-Za-z0-9+/_-]{40,}={0,2}/g;

/** Numbers that differ from run to run: what an example has in their place. */
function numberOf(name: string, value: number): number {
  if (/(^|_)(at|time|until|timestamp)_ms$/.test(name)) return TIME_MS;
  if (/_ms$|_s$/.test(name)) return 12;
  if (name === 'partition') return 0;
  if (name === 'hlc') return TIME_MS * 1000;
  if (/offset$/.test(name)) return 7;
  return Number.isInteger(value) ? value : 0.5;
}

/** Replaces what differs from run to run, and what is secret, by fixed values of the same form. The same value is replaced by the same one. */
export class ExampleMask {
  private readonly known = new Map<string, string>();

  /** `name`: of the member that the value is in. */
  masked(value: unknown, name = ''): unknown {
    if (typeof value === 'string') return name === 'executor_id' ? 'executor-1' : this.text(value);
    if (typeof value === 'number') return numberOf(name, value);
    if (Array.isArray(value)) return shortened(value).map((item) => this.masked(item, name));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [this.text(key), this.masked(member, key)]));
  }

  text(value: string): string {
    const masked = value
      .replaceAll(SECRET, 'a secret')
      .replaceAll(MARK, 'Example')
      .replace(/csk_[A-Za-z0-9_-]+/g, (key) => EXAMPLE_KEY.slice(0, key.length))
      .replace(/whsec_[A-Za-z0-9+/]+=*/g, EXAMPLE_SECRET)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, TIME)
      .replace(/eyJ[\w-]+(\.[\w-]+)+/g, EXAMPLE_BASE64)
      .replace(/\b\d+(?=-[0-9a-f]{8}-[0-9a-f]{4}-)/g, '0')
      .replace(UUID, (id) => this.numbered(id, (serial) => `01900000-0000-7000-8000-${serial.padStart(12, '0')}`))
      .replace(HEX, (hash) => this.numbered(hash, (serial) => serial.padStart(hash.length, '0')))
      .replace(BASE64, (found) => (found === EXAMPLE_KEY ? found : EXAMPLE_BASE64))
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:7070');
    return masked.length > CHARACTERS_MAX ? `${masked.slice(0, CHARACTERS_MAX)}…` : masked;
  }

  private numbered(value: string, form: (serial: string) => string): string {
    const known = this.known.get(value) ?? form(String(this.known.size + 1));
    this.known.set(value, known);
    return known;
  }
}

/** The first items of a list; a tuple, whose items are of several types, stays whole. */
function shortened(items: readonly unknown[]): readonly unknown[] {
  return new Set(items.map((item) => typeof item)).size > 1 ? items : items.slice(0, ITEMS_MAX);
}
