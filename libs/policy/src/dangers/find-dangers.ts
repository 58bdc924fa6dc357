import { dangers } from './patterns.js';
import { readings } from './plain-text.js';

/** Words without which plain text holds no danger that we know. */
const HINT =
  /\b(?:rm|find|mkfs|mke2fs|wipefs|dd|dev|shred|shutdown|reboot|halt|poweroff|init|chmod|chown|curl|wget|fetch|iwr|invoke-webrequest|base64|xxd|openssl|nc|kill|crontab|remove-item|del|erase|rd|rmdir|format|format-volume|git|drop|truncate|delete|update|alter|grant|flushall|flushdb|dropdatabase|deletemany|db|rmtree|fs|rimraf|terraform|kubectl|aws|docker|helm)\b/i;
/** Anything but plain ASCII prose and JSON: it may hide a word. */
const UNUSUAL = /[^\x20-\x7e]|\\|\$|'|`|\/\*|:\s?\(/;

const LEVELS_MAX = 32;

/** Whether text is worth a closer look; cheap, and never wrong with no. */
function mayHide(text: string): boolean {
  return HINT.test(text) || UNUSUAL.test(text);
}

/** All texts of a value: each by itself, lists of texts as a command line, and an object's texts in their order. */
function textsOf(value: unknown, into: string[], level = 0): void {
  if (typeof value === 'string') into.push(value);
  if (typeof value !== 'object' || value === null || level > LEVELS_MAX) return;
  const items = Object.values(value);
  const line: string[] = [];
  for (const item of items) {
    if (typeof item === 'string') line.push(item);
    else if (Array.isArray(item) && item.every((part) => typeof part === 'string')) line.push(...item);
    textsOf(item, into, level + 1);
  }
  if (line.length > 1) into.push(line.join(' '));
}

export interface FoundDanger {
  id: string;
  fatal: boolean;
}

function inTexts(texts: readonly string[]): FoundDanger[] {
  const found = new Map<string, FoundDanger>();
  for (const text of texts) {
    if (!mayHide(text)) continue;
    for (const reading of readings(text))
      for (const danger of dangers)
        if (!found.has(danger.id) && danger.found(reading)) found.set(danger.id, { id: danger.id, fatal: danger.fatal === true });
  }
  return [...found.values()];
}

/** The dangerous operations that a JSON value asks for, by id. Pure; linear in the size of the value. */
export function findDangers(value: unknown): FoundDanger[] {
  const texts: string[] = [];
  textsOf(value, texts);
  return inTexts(texts);
}

/** The same for a JSON text, which is only parsed where it is worth it. `pick`: what of the value is looked at. */
export function findDangersInJson(json: string, pick: (value: unknown) => unknown = (value) => value): FoundDanger[] {
  return mayHide(json) ? findDangers(pick(JSON.parse(json))) : [];
}
