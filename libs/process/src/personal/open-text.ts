import { ERASED, sealedParts } from '@countersign/contracts';
import { openBytes } from './seal-value.js';

/** A sealed value as a JSON string, which may be inside JSON text that is itself the value of a string, and so on. */
const QUOTED = /(\\*)"(sealed:v1:[A-Za-z0-9_-]+)\\*"/g;
const BARE = /sealed:v1:[A-Za-z0-9_-]+/g;

function openedJson(tenant_id: string, token: string, keys: ReadonlyMap<string, Buffer>, otherwise = ERASED): string {
  const parts = sealedParts(token);
  const bytes = parts && openBytes(tenant_id, parts, keys);
  return bytes ? bytes.toString() : JSON.stringify(otherwise);
}

/** The JSON text escaped for this depth of nested strings. */
function escaped(json: string, backslashes: number): string {
  let text = json;
  for (let level = Math.log2(backslashes + 1); level > 0; level--) text = JSON.stringify(text).slice(1, -1);
  return text;
}

/** JSON text (or NDJSON, or the data of an event stream) with its sealed values opened; `erased` for values whose key is destroyed. */
export function openedText(tenant_id: string, text: string, keys: ReadonlyMap<string, Buffer>): string {
  return text.replace(QUOTED, (_whole, slashes: string, token: string) => escaped(openedJson(tenant_id, token, keys), slashes.length));
}

/** The same; values whose key is destroyed stay sealed. */
export function openedOrSealed(tenant_id: string, text: string, keys: ReadonlyMap<string, Buffer>): string {
  return text.replace(QUOTED, (_whole, slashes: string, token: string) =>
    escaped(openedJson(tenant_id, token, keys, token), slashes.length),
  );
}

/** Text that is not JSON (a table, a mail, a page) with its sealed values opened; a value that is not text is written as JSON. */
export function openedPlain(tenant_id: string, text: string, keys: ReadonlyMap<string, Buffer>): string {
  return text.replace(BARE, (token) => {
    const json = openedJson(tenant_id, token, keys);
    return json.startsWith('"') ? String(JSON.parse(json)) : json;
  });
}
