import { expect, test } from 'vitest';
import { SnapshotObjects } from './snapshot-objects.js';

class Bucket {
  readonly objects = new Map<string, Buffer>();

  async get(key: string): Promise<Buffer | undefined> {
    return this.objects.get(key);
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    this.objects.set(key, Buffer.from(bytes));
  }

  async send(key: string): Promise<Response> {
    this.objects.delete(key);
    return new Response(null, { status: 204 });
  }
}

async function* pieces(texts: readonly string[], fault?: Error): AsyncGenerator<string> {
  yield* texts;
  if (fault) throw fault;
}

async function read(place: SnapshotObjects): Promise<string[]> {
  const found: string[] = [];
  for await (const piece of place.read()) found.push(piece);
  return found;
}

test('the newest complete snapshot is read, an older one is removed, and a partial one leaves nothing behind', async () => {
  const bucket = new Bucket();
  const place = new SnapshotObjects(bucket, 'keys');
  expect(await read(place)).toEqual([]);
  await place.write(pieces(['a', 'b']));
  expect(await read(place)).toEqual(['a', 'b']);
  await expect(place.write(pieces(['c'], new Error('the database went away')))).rejects.toThrow('went away');
  expect(await read(place)).toEqual(['a', 'b']);
  expect(bucket.objects.size).toBe(3);
  await place.write(pieces(['d']));
  expect(await read(place)).toEqual(['d']);
  expect([...bucket.objects.values()].map(String)).toEqual([expect.stringContaining('"pieces":1'), 'd']);
});

test('a missing piece is reported, because without it an effect may happen twice', async () => {
  const bucket = new Bucket();
  const place = new SnapshotObjects(bucket, 'keys');
  await place.write(pieces(['a']));
  for (const key of bucket.objects.keys()) if (key.endsWith('.ndjson')) bucket.objects.delete(key);
  await expect(read(place)).rejects.toThrow('restore it from a backup');
});
