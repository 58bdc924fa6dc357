import { describe, expect, test } from '@jest/globals';
import { Problem, pointer, problemKinds } from './problem.js';

describe('a problem document', () => {
  test('has type, title, status, detail, instance and a code of the closed list, whatever its kind', () => {
    for (const kind of problemKinds) {
      const document = new Problem(kind, 'why').document('/v1/calls');
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

  test('says when to try again exactly where that makes sense', () => {
    for (const kind of problemKinds) {
      const problem = new Problem(kind, '');
      expect('retry-after' in problem.allHeaders()).toBe(problem.document('/').retryable === true);
    }
  });

  test('shows issues under the layer they belong to', () => {
    const issues = [{ path: '/path', code: 'required', message: 'is required' }];
    expect(new Problem('invalid-inputs', '', { layer: 'input', issues }).document('/')).toMatchObject({
      validation: { layer: 'input', issues },
    });
  });

  test('pointers escape ~ and / (RFC 6901)', () => {
    expect(pointer(['a/b', '~', 0])).toBe('/a~1b/~0/0');
  });
});
