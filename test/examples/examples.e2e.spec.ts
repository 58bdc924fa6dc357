import { readFileSync } from 'node:fs';
import { EXAMPLES_FILE } from '@countersign/gateway/testing/api-document';
import { expect, test } from 'vitest';
import { recordExamples } from './example-platform.js';

/** No members that every answer has: an empty one, or one whose keys are names of things. */
const isMap = (value: object): boolean => Object.keys(value).some((name) => !/^[a-z]\w*$/.test(name)) || Object.keys(value).length === 0;

/** Where the members or types of two values differ. What is null, or an empty list, may be anything. */
function differences(one: unknown, other: unknown, at = ''): string[] {
  if (one === null || other === null) return [];
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === 0 || other.length === 0 ? [] : differences(one[0], other[0], `${at}/0`);
  if (typeof one !== 'object' || typeof other !== 'object') return typeof one === typeof other ? [] : [at];
  if (isMap(one as object) || isMap(other as object)) return [];
  const names = new Set([...Object.keys(one as object), ...Object.keys(other as object)]);
  return [...names].flatMap((name) => {
    const [a, b] = [one, other].map((value) => (value as Record<string, unknown>)[name]);
    return a === undefined || b === undefined ? [`${at}/${name}`] : differences(a, b, `${at}/${name}`);
  });
}

test('the examples of /openapi.json are what the platform takes and answers today: else run npm run examples', async () => {
  const recorded = await recordExamples();
  const kept = JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')) as typeof recorded;
  expect(Object.keys(recorded)).toEqual(Object.keys(kept));
  expect(Object.entries(kept).flatMap(([name, example]) => differences(recorded[name], example, name))).toEqual([]);
});
