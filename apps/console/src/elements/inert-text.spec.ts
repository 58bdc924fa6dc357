import { expect, test } from 'vitest';
import { cut, piecesOf } from './inert-text.js';

const shown = (text: string) =>
  piecesOf(text)
    .map((piece) => ('mark' in piece ? `[${piece.mark}${piece.count > 1 ? `×${piece.count}` : ''}]` : piece.text))
    .join('');

test.each([
  ['a plain text', 'pay 12.50 to Ada\n\tnow', 'pay 12.50 to Ada\n\tnow'],
  ['a colour of a terminal', '\u001b[31mdenied\u001b[0m', '[ESC][31mdenied[ESC][0m'],
  ['text that turns its direction', 'invoice\u202egpj.exe', 'invoice[RLO]gpj.exe'],
  ['isolated directions', '\u2067abc\u2069', '[RLI]abc[PDI]'],
  ['a zero-width space in a name', 'pay\u200bpal', 'pay[ZWSP]pal'],
  ['text in tags that only machines read', 'ok\u{e0041}\u{e0042}', 'ok[U+E0041][U+E0042]'],
  ['a carriage return that overwrites a line', 'safe\rrm -rf', 'safe[CR]rm -rf'],
  ['line ends of Windows', 'a\r\nb', 'a\nb'],
  ['half of a pair', 'a\ud800b', 'a[U+D800]b'],
  ['markup', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['scripts from right to left', 'שלום مرحبا', 'שלום مرحبا'],
  ['a family of emoji', '👨‍👩‍👧', '👨‍👩‍👧'],
  ['a joiner where there is nothing to join', 'a \u200d b', 'a [ZWJ] b'],
  ['a joiner in Persian', 'می\u200cخواهم', 'می\u200cخواهم'],
  ['a joiner that splits a Latin name', 'pay\u200cpal', 'pay[ZWNJ]pal'],
  ['bytes in variation selectors', 'a\ufe01\u{e0100}b', 'a[U+FE01][U+E0100]b'],
  ['an emoji with its selector', '❤️ ok', '❤️ ok'],
  ['nothing', '', ''],
])('%s is shown so that nothing is hidden', (_, text, visible) => {
  expect(shown(text)).toBe(visible);
});

test('a long text is cut, never in the middle of a character', () => {
  expect(cut('abcdef', 4)).toEqual({ shown: 'abcd', hidden: 2 });
  expect(cut('ab😀d', 3)).toEqual({ shown: 'ab', hidden: 3 });
  expect(cut('abc', 3)).toEqual({ shown: 'abc', hidden: 0 });
});

test('hidden characters in a row are one piece with their number', () => {
  expect(piecesOf('\u202e'.repeat(10_000))).toEqual([{ mark: 'RLO', name: 'U+202E', count: 10_000 }]);
  expect(piecesOf('\u202e\u202d'.repeat(1_000))).toHaveLength(2_000);
});
