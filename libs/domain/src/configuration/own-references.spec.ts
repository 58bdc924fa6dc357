import { describe, expect, test } from 'vitest';
import { caseIdOf, externalIdOf, resolveCaseId } from './own-references.js';

describe("a tenant's own reference", () => {
  test.each([
    ['an order number', 'PO-2024-118', 'PO-2024-118'],
    ['words with spaces between them', 'Order 7 / Zürich', 'Order 7 / Zürich'],
    ['a decomposed letter, composed', 'Zu\u0308rich', 'Z\u00fcrich'],
    ['200 characters', 'x'.repeat(200), 'x'.repeat(200)],
  ])('%s is accepted', (_what, given, kept) => {
    expect(externalIdOf(given)).toBe(kept);
  });

  test.each([
    ['nothing', ''],
    ['201 characters', 'x'.repeat(201)],
    ['a control character', 'PO\u0000118'],
    ['a line break', 'PO\n118'],
    ['a zero-width space', 'PO\u200b118'],
    ['a mark that reverses text', 'PO\u202e118'],
    ['a lone surrogate', 'PO\ud800'],
    ['a space at its end', 'PO '],
    ['the prefix itself', 'ext:PO'],
  ])('%s is refused', (_what, given) => {
    expect(externalIdOf(given)).toBeUndefined();
  });

  test('names one case per tenant: another tenant, letter case or look-alike gives another case', () => {
    const ids = [
      caseIdOf('acme', 'PO-1'),
      caseIdOf('rival', 'PO-1'),
      caseIdOf('acme', 'po-1'),
      caseIdOf('acme', 'P\u041e-1'),
      caseIdOf('acmeP', 'O-1'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(caseIdOf('acme', 'PO-1')).toBe(ids[0]);
  });

  test('is read after ext:, in either Unicode form; any other text is a case id', () => {
    expect(resolveCaseId('acme', 'ext:Z\u00fcrich')).toBe(caseIdOf('acme', 'Z\u00fcrich'));
    expect(resolveCaseId('acme', 'ext:Zu\u0308rich')).toBe(caseIdOf('acme', 'Z\u00fcrich'));
    expect(resolveCaseId('acme', 'case_1')).toBe('case_1');
    expect(resolveCaseId('acme', 'EXT:PO')).toBe('EXT:PO');
    for (const bad of ['ext:', 'ext: PO', 'ext:ext:PO']) expect(resolveCaseId('acme', bad)).toBeUndefined();
  });
});
