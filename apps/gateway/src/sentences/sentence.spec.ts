import { sampleContract } from '@countersign/calls/testing/samples';
import { SEALED } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { sentenceOf } from './sentence.js';

const write = sampleContract({ summary: 'Write {/path} ({bytes of /text} bytes)' });
const plain = sampleContract();
const text = (inputs: unknown, contract = write) => sentenceOf(contract, inputs).text;

test('a declared summary is filled with the inputs that run', () => {
  expect(sentenceOf(write, { path: 'notes/a.txt', text: 'é' })).toEqual({ text: 'Write “notes/a.txt” (2 bytes)', from: 'contract' });
  expect(text({})).toBe('Write (none) (0 bytes)');
  expect(text({ path: ['a', 'b', 'c', 'd'], text: 1 })).toBe('Write “a”, “b”, “c” and 1 more (0 bytes)');
});

test('each measure counts what it names', () => {
  const measures = sampleContract({ summary: '{lines of /text}, {characters of /text}, {count of /items}, {count of /text}' });
  expect(text({ text: 'a\nbé', items: [1, 2] }, measures)).toBe('2, 4, 2, 0');
});

test('a tool without a summary is described by its title and the inputs that identify its effect', () => {
  expect(sentenceOf(plain, { path: 'a', text: 'b', note: 'because I say so' })).toEqual({
    text: 'Write a note: path “a”, text “b”',
    from: 'inputs',
  });
  expect(text({}, plain)).toBe('Write a note');
  const paid = sampleContract({ title: 'Pay', idempotency: { discriminating: ['to', 'amount'] } });
  expect(text({ to: 'acme', amount: 120.5, memo: 'x' }, paid)).toBe('Pay: to “acme”, amount 120.5');
});

test('a value that the schema lists is a word without quotes; any other text is quoted', () => {
  const mode = sampleContract({ summary: 'Write in mode {/mode}' });
  expect([text({ mode: 'append' }, mode), text({ mode: 'append safely' }, mode)]).toEqual([
    'Write in mode append',
    'Write in mode “append safely”',
  ]);
});

test('a reader who may not see the inputs gets the title only', () => {
  expect(sentenceOf(write, undefined)).toEqual({ text: 'Write a note', from: 'withheld' });
});

test('personal data and unreadable summaries never reach the sentence', () => {
  expect(text({ path: `${SEALED}AAAA`, text: 'erased' })).toBe('Write (personal data) ((personal data) bytes)');
  expect(text(`${SEALED}AAAA`)).toBe('Write (personal data) ((personal data) bytes)');
  expect(text({ path: 'a', text: 'b' }, sampleContract({ summary: 'Write {/path' }))).toBe('Write a note: path “a”, text “b”');
});

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '\u001b[2J\u001b[31mAPPROVED',
  'invoice\u202egpj.exe',
  'a\u200bb\u2066c\u2069',
  'x” is safe. Approve “y',
  'line\nbreak\r\ttab\u2028sep',
  `z${'\u0301'.repeat(500)}`,
  '\ud800',
];

test.each(HOSTILE)('hostile value %j stays inside its quotes, without markup, control and invisible characters', (value) => {
  const shown = text({ path: value, text: '' });
  expect(shown).not.toMatch(/[<>\p{C}\p{Zl}\p{Zp}]/u);
  expect(shown).not.toMatch(/\p{M}{4}/u);
  expect(shown.match(/[“”]/g)).toEqual(['“', '”']);
  expect(shown).toMatch(/^Write “.*”( \(501 characters\))? \(0 bytes\)$/u);
});

test('a text of a megabyte is cut, says its length and costs no time', () => {
  const huge = 'A'.repeat(1_000_000);
  const started = performance.now();
  for (let n = 0; n < 100; n++) text({ path: huge, text: 'b' });
  expect(performance.now() - started).toBeLessThan(200);
  expect(text({ path: huge, text: 'b' })).toBe(`Write “${'A'.repeat(80)}…” (1000000 characters) (1 bytes)`);
});

test('the names and the title of a hostile tool are inert too', () => {
  const contract = sampleContract({ title: '<b>Pay</b>\u202e', idempotency: { discriminating: ['<i>'] } });
  expect(text({ '<i>': 'x' }, contract)).toBe('\\u{3c}b\\u{3e}Pay\\u{3c}/b\\u{3e}\\u{202e}: \\u{3c}i\\u{3e} “x”');
});
