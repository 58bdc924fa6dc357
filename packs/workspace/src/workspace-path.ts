import { refused } from './refusal.js';

/** The folder for trash, receipts and unfinished writes: in the root, and never shown. */
export const PRIVATE_FOLDER = '.countersign-trash';

const PATH_CHARS_MAX = 1024;
const NAME_BYTES_MAX = 255;
const DEPTH_MAX = 40;
// Code points that some file systems ignore in names: `.g\u200cit` is `.git` there.
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/u;

/**
 * The names from the root to a caller's path, none of them special: `..`, absolute paths, NUL and control characters, backslashes, names
 * with leading or trailing blanks, too long names and the platform's own folders are refused. `.` and doubled slashes are dropped; [] is
 * the root.
 * @param pointer JSON Pointer of the input, for the error.
 * @throws ToolError VALIDATION_ERROR
 */
export function namesOf(path: string, pointer = '/path'): string[] {
  if (path === '') throw refused(pointer, 'empty', 'the path is empty');
  if (path.length > PATH_CHARS_MAX) throw refused(pointer, 'too_long', `the path is longer than ${PATH_CHARS_MAX} characters`);
  if (path.startsWith('/')) throw refused(pointer, 'absolute', 'the path must be relative to the workspace');
  if (CONTROL.test(path)) throw refused(pointer, 'control_character', 'the path has a control character');
  if (/\p{Surrogate}/u.test(path)) throw refused(pointer, 'not_unicode', 'the path is not well-formed Unicode');
  if (path.includes('\\')) throw refused(pointer, 'backslash', 'the path has a backslash; folders are separated by /');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.length > DEPTH_MAX) throw refused(pointer, 'too_deep', `the path is deeper than ${DEPTH_MAX} folders`);
  for (const name of names) checkName(name, pointer);
  return names;
}

function checkName(name: string, pointer: string): void {
  if (name === '..') throw refused(pointer, 'parent', 'the path must not contain ..');
  if (name !== name.trim()) throw refused(pointer, 'blank_at_end', 'a name in the path begins or ends with a space');
  if (Buffer.byteLength(name) > NAME_BYTES_MAX)
    throw refused(pointer, 'too_long', `a name in the path is longer than ${NAME_BYTES_MAX} bytes`);
  if (isReserved(name)) throw refused(pointer, 'reserved', `agents may not use ${JSON.stringify(name)}`);
}

/** `.git` in any spelling that some file system treats as equal, and all names of the platform. */
export function isReserved(name: string): boolean {
  const plain = name
    .replace(IGNORABLE, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[. ]+$/, '');
  return plain === '.git' || plain === 'git~1' || plain.startsWith('.git:') || plain.startsWith('.countersign');
}

/** For writes: the same text in another Unicode form would be another file with the same idempotency key. */
export function writableNamesOf(path: string, pointer = '/path'): string[] {
  const names = namesOf(path, pointer);
  if (names.length === 0) throw refused(pointer, 'root', 'the path is the workspace itself');
  if (path !== path.normalize('NFC')) throw refused(pointer, 'not_nfc', 'the path is not in Unicode normal form C');
  return names;
}
