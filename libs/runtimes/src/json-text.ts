import { NotJson } from '@countersign/tool-kit/json-size';

/** JSON of a value. @throws NotJson if it has none */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value ?? null) ?? 'null';
  } catch (cause) {
    throw new NotJson(cause instanceof Error ? cause.message : String(cause));
  }
}
