import { HASH_BYTES, type TileAppend } from '@countersign/proofs';
import type { S3Bucket } from '@countersign/store';
import { placeOfTile, type Tiles } from './tiles.js';

/** Tiles as objects in a bucket, for services without a shared folder: `<prefix>/<tree>/<level>/<index>`. */
export class BucketTiles implements Tiles {
  /** The growing tile of each level of each tree. It is always written as a whole. */
  private readonly growing = new Map<string, { index: number; hashes: Buffer }>();

  constructor(
    private readonly bucket: Pick<S3Bucket, 'get' | 'put'>,
    private readonly prefix: string,
  ) {}

  async append(tree: string, { level, index, width, hashes }: TileAppend): Promise<void> {
    const place = `${tree}/${level}`;
    const known = this.growing.get(place);
    const before =
      known?.index === index && known.hashes.length >= width * HASH_BYTES ? known.hashes : await this.before(tree, level, index, width);
    const whole = Buffer.concat([before.subarray(0, width * HASH_BYTES), hashes]);
    await this.bucket.put(this.key(tree, level, index), whole);
    this.growing.set(place, { index, hashes: whole });
  }

  async read(tree: string, level: number, index: number): Promise<Buffer> {
    return (await this.bucket.get(this.key(tree, level, index))) ?? Buffer.alloc(0);
  }

  private async before(tree: string, level: number, index: number, width: number): Promise<Buffer> {
    if (width === 0) return Buffer.alloc(0);
    const hashes = await this.read(tree, level, index);
    if (hashes.length < width * HASH_BYTES) throw new Error(`${this.key(tree, level, index)} has less than ${width} hashes`);
    return hashes;
  }

  private key(tree: string, level: number, index: number): string {
    return `${this.prefix}/${placeOfTile(tree, level, index)}`;
  }
}
