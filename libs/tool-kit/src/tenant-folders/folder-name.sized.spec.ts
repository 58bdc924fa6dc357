import { histories } from '@countersign/contracts/testing/histories';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COMMON_FOLDER, tenantFolderName } from './folder-name.js';

const odd = fc.constantFrom(
  'acme',
  'Acme',
  'ACME',
  'con',
  'CON',
  'con.txt',
  'nul',
  'shared',
  'Shared',
  '=41cme',
  '..',
  '.',
  '',
  'a/b',
  'é'.normalize('NFC'),
  'é'.normalize('NFD'),
);
const anyId = fc.oneof(
  odd,
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ maxLength: 300 }),
  fc.stringMatching(/^[a-z0-9_-]{1,100}$/),
);
/** A name after the changes of a disk that ignores case and normalizes names. */
const onSuchADisk = (name: string) => name.normalize('NFKC').toUpperCase().toLowerCase();

test('ids with which a tenant can be created are their own folder names', () => {
  for (const id of ['acme', 'default', 'a', 'tenant-1_b', '0', 'x'.repeat(64)]) expect(tenantFolderName(id)).toBe(id);
});

test('an id that differs only in case, a device name, dots, the shared folder and a long id each get a separate name', () => {
  expect(tenantFolderName('Acme')).toBe('=41cme');
  expect(tenantFolderName('acme.corp')).toBe('acme=2ecorp');
  expect(tenantFolderName('con')).toBe('=63on');
  expect(tenantFolderName('lpt1')).toBe('=6cpt1');
  expect(tenantFolderName(COMMON_FOLDER)).toBe('=73hared');
  expect(tenantFolderName('_x')).toBe('=5fx');
  expect(tenantFolderName('x'.repeat(200))).toMatch(/^==[0-9a-f]{64}$/);
});

test('two ids never share a folder, even on a disk that ignores case and normalizes Unicode', () => {
  fc.assert(
    fc.property(anyId, anyId, (one, other) => {
      const [first, second] = [tenantFolderName(one), tenantFolderName(other)];
      expect(onSuchADisk(first) === onSuchADisk(second)).toBe(one === other);
    }),
    { numRuns: histories(200, 2_000) },
  );
});

test('a name is one safe path segment, is never hidden, a device or the shared folder, and is stable under case', () => {
  fc.assert(
    fc.property(anyId, (id) => {
      const name = tenantFolderName(id);
      expect(name).toMatch(/^[a-z0-9=][a-z0-9=_-]{0,119}$/);
      expect(name).not.toMatch(/^(shared|con|prn|aux|nul|com\d|lpt\d)$/);
      expect(onSuchADisk(name)).toBe(name);
    }),
    { numRuns: histories(200, 2_000) },
  );
});
