import { expect, test } from 'vitest';
import { withTool } from './listed-tool.js';
import { packFiles } from './pack-files.js';

const index = packFiles('my-pack', '^0.1.0')['src/index.ts'] as string;

test('a tool is imported and listed in the index of a new pack', () => {
  const listed = withTool(index, 'read_weather') as string;
  expect(listed).toContain("import { readWeather } from './read-weather/read-weather.ts';");
  expect(listed).toMatch(/tools: \[\n {4}readWeather,\n {4}keepNote,\n {4}shoutText,\n {2}\],/);
  expect(withTool(listed, 'read_tide')).toMatch(/readTide,\n {4}readWeather,/);
});

test('a list on one line keeps its line', () => {
  const short = "import type { Pack } from '@countersign/tool-kit';\nexport const pack: Pack = {\n  tools: [a],\n};\n";
  expect(withTool(short, 'read_weather')).toContain('  tools: [\n    readWeather, a],');
});

test('an index that is written another way is left alone', () => {
  expect(withTool('export const pack = made();', 'read_weather')).toBeUndefined();
});
