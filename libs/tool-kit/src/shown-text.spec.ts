import { expect, test } from 'vitest';
import { shownText } from './shown-text.js';

test('UTF-8 is unchanged', () => expect(shownText(Buffer.from('aé漢😀\\x'))).toBe('aé漢😀\\x'));

test.each([
  [[0x63, 0x61, 0x66, 0xe9], 'caf\\xe9'],
  [[0xff, 0xfe, 0x61], '\\xff\\xfea'],
  [[0xc3, 0xa9, 0xc3], 'é\\xc3'],
  [[0xe6, 0xbc, 0x61], '\\xe6\\xbca'],
  [[0xed, 0xa0, 0x80], '\\xed\\xa0\\x80'],
  [[0xc0, 0x80], '\\xc0\\x80'],
])('bytes that are no character are shown: %j', (bytes, text) => expect(shownText(Buffer.from(bytes))).toBe(text));
