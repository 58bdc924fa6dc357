import { Effort } from './effort.js';
import { dangers } from './patterns.js';
import { readings } from './plain-text.js';

/** Plain text without any of these words contains no known danger. */
const HINT =
  /\b(?:rm|find|mkfs|mke2fs|wipefs|dd|dev|shred|shutdown|reboot|halt|poweroff|init|chmod|chown|curl|wget|fetch|iwr|invoke-webrequest|base64|xxd|openssl|nc|kill|crontab|remove-item|del|erase|rd|rmdir|format|format-volume|git|drop|truncate|delete|update|alter|grant|flushall|flushdb|dropdatabase|deletemany|db|rmtree|fs|rimraf|terraform|kubectl|aws|docker|helm)\b/i;
/** Anything other than plain ASCII prose and JSON may hide a word. */
const UNUSUAL = /[^\x20-\x7e]|\\|\$|'|`|\/\*|:\s?\(/;

const LEVELS_MAX = 32;
/** Maximum length of a JSON text that is parsed for the check. */
const JSON_CHARS_MAX = 400_000;

export interface FoundDanger {
  id: string;
  fatal: boolean;
}

/** The value is too large, too deep or too dense to check in time: approval is required. */
const TOO_LARGE: FoundDanger = { id: 'text.too_large_to_judge', fatal: false };

/** Cheap pre-check: false means that the text contains no known danger. */
function mayHide(text: string): boolean {
  return HINT.test(text) || UNUSUAL.test(text);
}

/** The words of an item on a command line: texts as they are, `force: true` as `--force`, anything else none. */
function wordsOf(key: string, item: unknown): string[] {
  if (typeof item === 'string') return [item];
  if (item === true) return [`--${key.replaceAll('_', '-')}`];
  return [];
}

/** Collects the texts of a value: each text alone, and the items of each object or list, in order, as one command line. */
class Texts {
  readonly found: string[] = [];
  too_deep = false;

  add(value: unknown, before: readonly string[] = [], level = 0): void {
    if (typeof value === 'string') this.found.push(value);
    if (typeof value !== 'object' || value === null) return;
    if (level > LEVELS_MAX) {
      this.too_deep = true;
      return;
    }
    const line = [...before];
    for (const [key, item] of Object.entries(value)) {
      line.push(...wordsOf(key, item));
      if (Array.isArray(item)) for (const part of item) if (typeof part === 'string') line.push(part);
      this.add(item, [], level + 1);
    }
    if (line.length > 1) this.found.push(line.join(' '));
  }
}

function inTexts(texts: readonly string[]): FoundDanger[] {
  const found = new Map<string, FoundDanger>();
  const effort = new Effort();
  for (const text of texts) {
    if (!mayHide(text)) continue;
    for (const reading of readings(text, effort) ?? [])
      for (const danger of dangers)
        if (!found.has(danger.id) && danger.found(reading, effort)) found.set(danger.id, { id: danger.id, fatal: danger.fatal === true });
    if (!effort.left) return [...found.values(), TOO_LARGE];
  }
  return [...found.values()];
}

/**
 * The ids of the dangerous operations in a JSON value. Pure. Linear in the size of the value; above a maximum it returns
 * `text.too_large_to_judge`. `command`: words before the value's own, for example of the tool's name.
 */
export function findDangers(value: unknown, command: readonly string[] = []): FoundDanger[] {
  const texts = new Texts();
  texts.add(value, command);
  const found = inTexts(texts.found);
  return texts.too_deep ? [...found, TOO_LARGE] : found;
}

export interface Looked {
  /** Selects the part of the value that is checked. */
  pick?: ((value: unknown) => unknown) | undefined;
  /** The name of the tool; its words begin the command line: `git_push` with `force: true` is `git push --force`. */
  tool?: string | undefined;
}

/** The same for a JSON text, which is parsed only if the pre-check finds something. */
export function findDangersInJson(json: string, { pick = (value) => value, tool = '' }: Looked = {}): FoundDanger[] {
  const words = tool.replaceAll(/[_.-]+/g, ' ');
  if (!mayHide(json) && !HINT.test(words)) return [];
  if (json.length > JSON_CHARS_MAX) return [TOO_LARGE];
  return findDangers(pick(JSON.parse(json)), words === '' ? [] : words.split(' '));
}
