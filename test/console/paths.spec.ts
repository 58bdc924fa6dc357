import { SCREENS } from '@countersign/console/app/screens';
import { CONSOLE_PATHS } from '@countersign/gateway/console/console-paths';
import { expect, test } from 'vitest';

test('the gateway serves the page for the path of every screen', () => {
  const served = CONSOLE_PATHS.map((path) => (path === '/' ? path : `/${path}`));
  expect(SCREENS.map(({ path }) => path).filter((path) => !served.includes(path))).toEqual([]);
});

test('no two screens have a path or keys in common', () => {
  const paths = SCREENS.map(({ path }) => path);
  const keys = SCREENS.flatMap(({ navigation }) => (navigation ? [navigation.keys] : []));
  expect([new Set(paths).size, new Set(keys).size]).toEqual([paths.length, keys.length]);
  expect(keys.filter((text) => !/^g [a-z]$/.test(text))).toEqual([]);
});
