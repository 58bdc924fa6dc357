import { tenantKey } from '@countersign/contracts';
import { TenantFolders } from '@countersign/tool-kit/tenant-folders/tenant-folders';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ResourceNames } from './resource-names.js';

const names = new ResourceNames({ tenantKey: (id) => tenantKey(Buffer.alloc(32, 1), id) });
const sharing = (on: boolean) =>
  new Map([['ROOT', new TenantFolders({ variable: 'ROOT', root: '/nowhere', sharing: { variable: 'SHARED', on } }, () => [])]]);
const tool = (on: boolean, name = 'file:{/path}') => ({
  contract: { resources: [{ name, effect: 'replaces' as const }] },
  folders: sharing(on),
});
const touched = (on: boolean, tenant: string, path: string) => names.touchesOf(tool(on), tenant, { path }).map(({ resource }) => resource);

describe('the resources of a write', () => {
  test('are the name and each prefix of it, exactly one of them exact', () => {
    const touches = names.touchesOf(tool(false), 'acme', { path: 'd/e/x' });
    expect(touches).toHaveLength(4);
    expect(touches.filter(({ exact }) => exact)).toHaveLength(1);
    expect(touches.map(({ resource }) => resource)).toEqual(touches.map(({ resource }) => resource).toSorted());
  });

  test('of two tenants are disjoint, unless they share the folder', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), fc.string(), (one, other, path) => {
        fc.pre(one !== other);
        const both = (on: boolean) => new Set([...touched(on, one, path), ...touched(on, other, path)]);
        expect(both(false).size).toBe(touched(false, one, path).length * 2);
        expect(both(true)).toEqual(new Set(touched(true, one, path)));
      }),
    );
  });

  test('differ for other segments with the same letters, also if a name was cached before', () => {
    const paths = ['a/b/x', 'a\u0000b/x', 'ab/x', 'a/bx/x'];
    const first = paths.map((path) => touched(false, 'acme', path));
    expect(paths.map((path) => touched(false, 'acme', path))).toEqual(first);
    const above = paths.map((path) => names.touchesOf(tool(false), 'acme', { path }).filter(({ exact }) => !exact));
    // All share file; a/b/x and a/bx/x share a.
    expect(new Set(above.flat().map(({ resource }) => resource)).size).toBe(6);
  });

  test('are empty if the contract names none', () => {
    expect(names.touchesOf({ contract: {}, folders: sharing(false) }, 'acme', {})).toEqual([]);
  });
});
