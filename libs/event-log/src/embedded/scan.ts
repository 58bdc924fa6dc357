import { BLOCK_HEADER_BYTES, type BlockHeader, bodyIsSound, nextMagic, RECORDS, readBlockHeader } from './block.js';
import type { JournalFile } from './disk.js';
import { frameEnd, frameOffset, frameStream } from './frame.js';

const WINDOW_BYTES = 1024 * 1024;

/** A block found by the scan: its header, its buffer and its position in the buffer. */
export interface ScannedBlock {
  header: BlockHeader;
  bytes: Buffer;
  at: number;
  /** Position in the file. */
  position: number;
}

/** Reads a segment file block by block, about 1 MiB at a time, until its end or the first damaged position. */
export class BlockScan {
  #window = Buffer.alloc(0);
  #window_at = 0;

  constructor(
    private readonly file: JournalFile,
    private readonly base: number,
    private readonly size: number,
    /** File position after the last sound block; may start at any block. */
    public position = 0,
  ) {}

  /** The next sound block, or null at the end of the file or before a damaged block (then position < size). */
  async next(): Promise<ScannedBlock | null> {
    await this.#have(BLOCK_HEADER_BYTES);
    const header = readBlockHeader(this.#window, this.position - this.#window_at, this.base + this.position);
    if (header === null || this.position + BLOCK_HEADER_BYTES + header.body_bytes > this.size) return null;
    await this.#have(BLOCK_HEADER_BYTES + header.body_bytes);
    const at = this.position - this.#window_at;
    if (!bodyIsSound(this.#window, at, header)) return null;
    const block = { header, bytes: this.#window, at, position: this.position };
    this.position += BLOCK_HEADER_BYTES + header.body_bytes;
    return block;
  }

  /** Whether a block exists after the damaged position that was written after the position had been synced. */
  async damageWasAcknowledged(): Promise<boolean> {
    const rest = Buffer.allocUnsafe(this.size - this.position);
    const got = await this.file.read(rest, this.position);
    for (let at = nextMagic(rest, 1); at >= 0 && at < got; at = nextMagic(rest, at + 1)) {
      const header = readBlockHeader(rest, at, this.base + this.position + at);
      if (header !== null && header.write_start > this.base + this.position) return true;
    }
    return false;
  }

  async #have(bytes: number): Promise<void> {
    if (this.position + bytes <= this.#window_at + this.#window.length) return;
    const length = Math.min(Math.max(bytes, WINDOW_BYTES), this.size - this.position);
    const window = Buffer.allocUnsafeSlow(Math.max(length, 0));
    const got = await this.file.read(window, this.position);
    this.#window = window.subarray(0, got);
    this.#window_at = this.position;
  }
}

/** Calls back with the stream, offset and position of every frame of a sound block of records. */
export function eachFrame(block: ScannedBlock, found: (stream: number, offset: number, at: number) => void): void {
  if (block.header.kind !== RECORDS) return;
  const end = block.at + BLOCK_HEADER_BYTES + block.header.body_bytes;
  for (let at = block.at + BLOCK_HEADER_BYTES; at < end; at = frameEnd(block.bytes, at)) {
    found(frameStream(block.bytes, at), frameOffset(block.bytes, at), at);
  }
}
