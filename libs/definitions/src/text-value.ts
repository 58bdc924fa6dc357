import { prototypeKey, tooDeep } from './json-hazards.js';
import { YAML_BYTES_MAX, yamlValue } from './yaml-text.js';

export const JSON_BYTES_MAX = 65_536;

/** JSON or YAML; both mean the same values. */
export type TextFormat = 'json' | 'yaml';

export const bytesMaxOf = (format: TextFormat): number => (format === 'json' ? JSON_BYTES_MAX : YAML_BYTES_MAX);

function jsonValue(text: string): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch (cause) {
    return { fault: `is not JSON: ${(cause as Error).message.slice(0, 300)}` };
  }
}

/** The value of a text, or why it has none that may be used. */
export function textValue(text: string, format: TextFormat): { value: unknown } | { fault: string } {
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMaxOf(format)) return { fault: `has ${bytes} bytes, at most ${bytesMaxOf(format)} are read as ${format.toUpperCase()}` };
  const read = format === 'json' ? jsonValue(text) : yamlValue(text);
  if ('fault' in read) return read;
  const hazard = 'hazard' in read ? read.hazard : (tooDeep(read.value) ?? prototypeKey(read.value));
  if (hazard) return { fault: `${hazard.path}: ${hazard.message}` };
  return read as { value: unknown };
}
