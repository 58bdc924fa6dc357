import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lowerSnake, upstreamToolNames } from './names.js';

const named = (server: string, ...tools: string[]) => Object.fromEntries(upstreamToolNames(server, tools));

test.each([
  ['get-sum', 'get_sum'],
  ['getTinyImage', 'get_tiny_image'],
  ['read_file', 'read_file'],
  ['__init__', 'init'],
  ['Überweisung', 'berweisung'],
  ['日本', ''],
])('%s is %s in lower snake', (name, snake) => expect(lowerSnake(name)).toBe(snake));

test('names that collide all get a suffix of their exact name, and others none', () => {
  expect(named('files', 'read_file', 'read-file', 'write_file')).toEqual({
    read_file: 'files__read_file_c9f812',
    'read-file': expect.stringMatching(/^files__read_file_[0-9a-f]{6}$/),
    write_file: 'files__write_file',
  });
});

test('a name beyond 64 characters is cut and gets a suffix, and so does one without letters', () => {
  const { [`${'a'.repeat(70)}`]: long, 日本: none } = named('s', 'a'.repeat(70), '日本');
  expect(long).toMatch(/^s__a{54}_[0-9a-f]{6}$/);
  expect(long).toHaveLength(64);
  expect(none).toMatch(/^s___[0-9a-f]{6}$/);
});

test('a tool that is named like the suffixed form of another takes no name from it', () => {
  const { read_file } = named('files', 'read_file', 'read-file');
  const forged = (read_file as string).slice('files__'.length);
  const names = upstreamToolNames('files', ['read_file', 'read-file', forged]);
  expect(new Set(names.values()).size).toBe(names.size);
  expect(names.get('read_file')).toBe(read_file);
});

test('the order of a listing changes no name, each name is valid, and no two tools have one', () => {
  const tool = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.constantFrom('a', 'A', 'a-', 'a_b', 'aB', 'a-b', 'A_B', 'a'.repeat(62), 'a'.repeat(63), ''),
  );
  fc.assert(
    fc.property(fc.uniqueArray(tool, { maxLength: 20 }), fc.infiniteStream(fc.nat()), (tools, random) => {
      const shuffled = tools.map((each) => [random.next().value as number, each] as const).sort(([a], [b]) => a - b);
      const names = upstreamToolNames('srv', tools);
      expect(
        Object.fromEntries(
          upstreamToolNames(
            'srv',
            shuffled.map(([, each]) => each),
          ),
        ),
      ).toEqual(Object.fromEntries(names));
      for (const name of names.values()) expect(name).toMatch(/^srv__[a-z0-9_]{0,59}$/);
      expect(new Set(names.values()).size).toBe(names.size);
    }),
  );
});
