import { Refusal } from '@countersign/calls';
import { ProofReader } from '@countersign/evidence';
import type { Evidence } from '@countersign/process';
import { HASH_BYTES, parseTilePath } from '@countersign/proofs';
import { Inject, Injectable } from '@nestjs/common';
import type { Cosigned } from './audit-queries.schemas.js';
import { cosignedFault, notCovered, notProven, notTimestamped } from './cosigned-only.js';

/** Injection token of the evidence: checkpoints, tiles and keys. */
export const EVIDENCE = Symbol('evidence');

/** The checkpoints of the log, their tiles and the witness cosignatures. */
@Injectable()
export class AuditCheckpointsService {
  constructor(
    private readonly proofs: ProofReader,
    @Inject(EVIDENCE) private readonly evidence: Evidence,
  ) {}

  /** The public key of the checkpoints (C2SP signed note). */
  get vkey(): string {
    return this.evidence.signer.verifier.vkey;
  }

  /** The note of the newest checkpoint. With `cosigned`: of the newest one that all witnesses cosigned, if one of them checks heads. */
  async newest(cosigned: Cosigned): Promise<string | Refusal> {
    const fault = await cosignedFault(this.evidence.cosigned, cosigned);
    if (fault) return fault;
    const note = cosigned === 'true' ? (await this.evidence.cosigned.newest())?.note : await this.proofs.checkpoint();
    return note ?? notCovered();
  }

  /** The newest timestamped checkpoint; with `size` the oldest that covers this checkpoint. */
  async timestamp(size: number | undefined): Promise<{ size: number; checkpoint: string; token: string; time_ms: number } | Refusal> {
    const { timestamps } = this.evidence;
    const found = await (size === undefined ? timestamps?.newest() : timestamps?.covering(size - 1));
    if (!found) return notTimestamped();
    return { size: found.number + 1, checkpoint: found.note, token: found.token, time_ms: found.time_ms };
  }

  async keepCosignatures(note: string): Promise<{ witnesses: string[] } | Refusal> {
    const kept = await this.evidence.cosigned.add(note);
    return 'refused' in kept ? new Refusal('conflict', kept.refused, { reason: 'cosignature_refused' }) : kept;
  }

  /** Proves that the newest checkpoint extends the checkpoint of size `first` by appends only. */
  async consistency(first: number): Promise<{ first: number; second: number; path: string[]; checkpoint: string } | Refusal> {
    const found = await this.proofs.consistency(first);
    if (typeof found === 'string') return notProven(`the checkpoint cannot be proven: ${found}`);
    return found
      ? { first, ...found }
      : new Refusal('not-found', `no checkpoint has the size ${first}`, { reason: 'checkpoint_not_found' });
  }

  /**
   * The hashes of a tile. `path`: `checkpoints/<tile>` or `<topic>/<partition>/<tile>`, with tile names as in C2SP tlog-tiles; a later
   * generation of a tree is `<topic>/<partition>#2`.
   */
  async tile(path: string): Promise<Buffer | Refusal> {
    const [, tree, rest] = /^(checkpoints|[A-Za-z0-9._-]+\/\d+(?:#\d+)?)\/(.+)$/.exec(path) ?? [];
    const tile = rest === undefined ? undefined : parseTilePath(rest);
    const hashes = tree !== undefined && tile ? await this.evidence.tiles.read(tree, tile.level, tile.index) : undefined;
    if (!hashes || !tile || hashes.length < tile.width * HASH_BYTES)
      return new Refusal('not-found', `the tile ${path.slice(0, 200)} does not exist`, { reason: 'tile_not_found' });
    return hashes.subarray(0, tile.width * HASH_BYTES);
  }
}
