import { step, tripOf } from '@countersign/domain/testing/sagas/trip';
import { describe, expect, test } from 'vitest';
import { definitionIssues } from './definition-issues.js';
import { sagaDefinition } from './saga-definition.js';

const found = (body: unknown) =>
  definitionIssues(sagaDefinition.safeParse(body).error?.issues ?? [], body).map(
    ({ step: name, pointer, message }) => `${name} ${pointer}: ${message}`,
  );
const bound = (binding: unknown) => tripOf(step('a', 'book', {}, binding as never));

const level = (numbers: object) => tripOf(step('a', 'book', { use: { tool: 'book', version: '^1.0.0', inputs: {}, ...numbers } }));

describe('what is no definition', () => {
  test.each<[string, unknown]>([
    ['null /retries: there is no such field', { ...tripOf(step('a')), retries: 1 }],
    ['null /name: at most 64 of a to z', { ...tripOf(step('a')), name: 'Trip' }],
    ['null /version: is no exact semantic version', { ...tripOf(step('a')), version: '1.0' }],
    ['null /version: is no exact semantic version', { ...tripOf(step('a')), version: '^1.0.0' }],
    ['null /version: is no exact semantic version', { ...tripOf(step('a')), version: '1.0.0+build' }],
    ['null /wait_max_ms: ', { ...tripOf(step('a')), wait_max_ms: 1.5 }],
    ['a /root/when: ', tripOf({ ...step('a'), when: '' })],
    ['null /root/kind: is step, sequence, branch, parallel, map or wait', tripOf({ kind: 'loop' } as never)],
    ['a /root/blocks/0/kind: is step, sequence', tripOf({ kind: 'sequence', blocks: [{ ...step('a'), kind: 'stop' } as never] })],
    [
      'null /root/join/kind: is all, quorum or first_success',
      tripOf({ kind: 'parallel', join: { kind: 'any' }, branches: [step('a')] } as never),
    ],
    ['a /root/use/inputs/id: has exactly one of from, literal and expression', bound({ from: '/inputs/id', literal: 1 })],
    ['a /root/use/inputs/id: has exactly one of', bound({})],
    ['a /root/use/inputs/id/pointer: there is no such field', bound({ pointer: '/inputs/id' })],
    ['a /root/use/accuracy: ', level({ accuracy: 1.01 })],
    ['a /root/use/availability: ', level({ availability: -0.1 })],
    ['a /root/use/p99_ms: ', level({ p99_ms: 0 })],
    ['a /root/use/cost: ', level({ cost: -1 })],
    ['null : ', undefined],
    ['null : ', []],
  ])('%s', (issue, body) => {
    expect(found(body)[0]).toContain(issue);
  });

  test('has all its faults at once', () => {
    const body = tripOf({ kind: 'sequence', blocks: [{ ...step('a'), retry: 1 } as never, { ...step('b'), asks: 'yes' } as never] });
    expect(found(body).map((issue) => issue.split(':')[0])).toEqual(['a /root/blocks/0/retry', 'b /root/blocks/1/asks']);
  });
});

test('a level may declare its p99, cost, accuracy and availability', () => {
  expect(found(level({ p99_ms: 800, cost: 0.002, accuracy: 0.99, availability: 1 }))).toEqual([]);
});

test('a literal may be any JSON, null and false too', () => {
  for (const literal of [null, false, 0, '', [], {}, { from: 'x' }]) expect(found(bound({ literal }))).toEqual([]);
});
