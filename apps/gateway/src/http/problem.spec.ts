import { pointer, Refusal, reasonsOf, refusalReasons } from '@countersign/calls';
import { describe, expect, test } from 'vitest';
import { problemDocument, problemHeaders, problemKinds } from './problem.js';

describe('a problem document', () => {
  test('has type, title, status, detail, instance and a code of the closed list, whatever its kind', () => {
    for (const kind of problemKinds) {
      const document = problemDocument(new Refusal(kind, 'why'), '/v1/calls');
      expect(document).toMatchObject({
        type: `urn:countersign:problem:${kind}`,
        detail: 'why',
        instance: '/v1/calls',
        code: expect.any(String),
      });
      expect(document.status).toBeGreaterThanOrEqual(400);
      expect(String(document.title).length).toBeGreaterThan(5);
    }
  });

  test('has retry-after exactly if a retry can succeed', () => {
    for (const kind of problemKinds) {
      const problem = new Refusal(kind, '');
      expect('retry-after' in problemHeaders(problem)).toBe(problemDocument(problem, '/').retryable === true);
    }
  });

  test('shows issues under the layer they belong to', () => {
    const issues = [{ path: '/path', code: 'required', message: 'is required' }];
    expect(problemDocument(new Refusal('invalid-inputs', '', { layer: 'input', issues }), '/')).toMatchObject({
      validation: { layer: 'input', issues },
    });
  });

  test('has the reason of the refusal, else the only one of its kind, else the name of the kind', () => {
    const reason = (problem: Refusal) => problemDocument(problem, '/').reason;
    expect(reason(new Refusal('not-found', '', { reason: 'call_not_found' }))).toBe('call_not_found');
    expect(reason(new Refusal('unknown-tool', ''))).toBe('tool_not_found');
    expect(reason(new Refusal('key-reused', ''))).toBe('key_reused');
  });

  test('every reason is snake_case, belongs to one kind, and its kind exists', () => {
    expect(problemKinds).toEqual(expect.arrayContaining(Object.keys(refusalReasons)));
    const all = problemKinds.flatMap(reasonsOf);
    expect(all.filter((reason) => !/^[a-z]+(_[a-z]+)*$/.test(reason))).toEqual([]);
    expect(new Set(all).size).toBe(all.length);
  });

  test('pointers escape ~ and / (RFC 6901)', () => {
    expect(pointer(['a/b', '~', 0])).toBe('/a~1b/~0/0');
  });
});
