import { randomUUID } from 'node:crypto';
import type { S3Bucket } from '../blobs/s3-bucket.js';
import type { SnapshotPlace } from './key-snapshot.js';

/** The newest snapshot: its pieces are separate objects next to this one. */
interface SnapshotIndex {
  id: string;
  pieces: number;
}

/** A snapshot in a bucket, for services that share no folder. The index is written last, so that a partial snapshot is never read. */
export class SnapshotObjects implements SnapshotPlace {
  constructor(
    private readonly bucket: Pick<S3Bucket, 'get' | 'put' | 'send'>,
    private readonly prefix: string,
  ) {}

  async write(pieces: AsyncIterable<string>): Promise<void> {
    const before = await this.index();
    const id = randomUUID();
    const written: SnapshotIndex = { id, pieces: 0 };
    try {
      for await (const piece of pieces) await this.bucket.put(this.key(id, written.pieces++), Buffer.from(piece));
    } catch (fault) {
      // Without an index the pieces would be orphans. If the bucket is unavailable they stay.
      await this.remove(written).catch(() => undefined);
      throw fault;
    }
    await this.bucket.put(`${this.prefix}/index.json`, Buffer.from(JSON.stringify(written)));
    if (before) await this.remove(before);
  }

  async *read(): AsyncGenerator<string> {
    const index = await this.index();
    for (let at = 0; index && at < index.pieces; at++) {
      const piece = await this.bucket.get(this.key(index.id, at));
      if (!piece) throw new Error(`${this.key(index.id, at)} is missing: restore it from a backup (without it, effects may happen twice)`);
      yield piece.toString();
    }
  }

  private async remove({ id, pieces }: SnapshotIndex): Promise<void> {
    for (let at = 0; at < pieces; at++) {
      const response = await this.bucket.send(this.key(id, at), { method: 'DELETE' });
      await response.arrayBuffer();
    }
  }

  private async index(): Promise<SnapshotIndex | undefined> {
    const bytes = await this.bucket.get(`${this.prefix}/index.json`);
    return bytes && (JSON.parse(bytes.toString()) as SnapshotIndex);
  }

  private key(id: string, at: number): string {
    return `${this.prefix}/${id}/${at}.ndjson`;
  }
}
