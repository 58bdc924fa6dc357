import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BLOB_BYTES_MAX, type Blobs, contentTypeOf, markingsOf } from './blobs.js';

/** The contract of every Blobs implementation; `corrupt` changes the stored bytes of a blob directly, bypassing Blobs. */
export function describeBlobs(
  name: string,
  open: () => Promise<{ blobs: Blobs; corrupt?: (tenant_id: string, name: string) => Promise<void>; close: () => Promise<void> }>,
): void {
  describe(`blobs in ${name}`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    const put = (bytes: Uint8Array, type = 'application/octet-stream', tenant = 'acme') => opened.blobs.put(tenant, bytes, type);

    test.each([0, 1, 100_000, 10 * 2 ** 20])('%i bytes come back as they were put, under their digest', async (size) => {
      const bytes = randomBytes(size);
      const kept = await put(bytes, 'text/plain; charset=utf-8');
      expect(kept).toEqual({ name: `${createHash('sha256').update(bytes).digest('hex')}.txt`, content_type: 'text/plain', bytes: size });
      expect((await opened.blobs.get('acme', kept.name))?.equals(bytes)).toBe(true);
    });

    test('storing the same bytes again, even many times concurrently, gives one blob', async () => {
      const bytes = randomBytes(50_000);
      const kept = await Promise.all(Array.from({ length: 12 }, () => put(bytes)));
      expect(new Set(kept.map((each) => each.name)).size).toBe(1);
      expect((await opened.blobs.get('acme', kept[0]?.name as string))?.equals(bytes)).toBe(true);
    });

    test('a blob with markings is found only under those markings, and its name contains them', async () => {
      const bytes = randomBytes(40);
      const kept = await opened.blobs.put('acme', bytes, 'text/csv', ['pii.high', 'finance', 'pii.high']);
      expect([markingsOf(kept.name), contentTypeOf(kept.name)]).toEqual([['finance', 'pii.high'], 'text/csv']);
      expect((await opened.blobs.get('acme', kept.name))?.equals(bytes)).toBe(true);
      expect(await opened.blobs.get('acme', kept.name.replace(/~[\w-]+/, ''))).toBeUndefined();
      const many = Array.from({ length: 40 }, (_, i) => `marking.${i}`);
      expect(markingsOf((await opened.blobs.put('acme', bytes, 'text/csv', many)).name)).toEqual(['*']);
      expect(markingsOf(`${'0'.repeat(64)}~bm90anNvbg.csv`)).toEqual(['*']);
    });

    test('a tenant finds only its own blobs, whatever characters its id contains', async () => {
      const bytes = randomBytes(64);
      const { name } = await put(bytes);
      for (const tenant of ['other', '..', '../acme', 'acme/..', 'ACME', '', 'acme%2f', '=61636d65'])
        expect(await opened.blobs.get(tenant, name)).toBeUndefined();
      const odd = await put(bytes, 'image/png', '../../odd tenant');
      expect((await opened.blobs.get('../../odd tenant', odd.name))?.equals(bytes)).toBe(true);
      const [long, longer] = ['ä'.repeat(100), `${'ä'.repeat(100)}x`];
      const kept = await put(bytes, 'image/png', long);
      expect((await opened.blobs.get(long, kept.name))?.equals(bytes)).toBe(true);
      expect(await opened.blobs.get(longer, kept.name)).toBeUndefined();
    });

    test('an invalid blob name is not looked up', async () => {
      for (const name of [
        '',
        '..',
        '../../etc/passwd',
        `${'a'.repeat(64)}.exe`,
        `${'A'.repeat(64)}.bin`,
        `${'a'.repeat(64)}.bin/..`,
        randomUUID(),
      ])
        expect(await opened.blobs.get('acme', name)).toBeUndefined();
      expect(await opened.blobs.get('acme', `${'0'.repeat(64)}.bin`)).toBeUndefined();
    });

    test('an unlisted content type is stored as bytes', async () => {
      expect((await put(randomBytes(9), 'text/html')).content_type).toBe('application/octet-stream');
    });

    test('bytes above the limit are refused before anything is stored', async () => {
      await expect(put(new Uint8Array(BLOB_BYTES_MAX + 1))).rejects.toThrow(/at most/);
    });

    test('damaged bytes are never returned as the blob', async () => {
      if (!opened.corrupt) return;
      const { name } = await put(randomBytes(3000));
      await opened.corrupt('acme', name);
      await expect(opened.blobs.get('acme', name)).rejects.toThrow(/damaged/);
    });
  });
}
