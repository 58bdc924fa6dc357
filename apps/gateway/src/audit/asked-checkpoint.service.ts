import { Refusal } from '@countersign/calls';
import type { Cosigned } from '@countersign/evidence';
import type { Evidence } from '@countersign/process';
import { Inject, Injectable } from '@nestjs/common';
import { EVIDENCE } from './audit-checkpoints.service.js';
import type { BundleQuery } from './audit-queries.schemas.js';
import { cosignedFault, notCovered, notTimestamped } from './cosigned-only.js';

/** A checkpoint for a bundle, with the token of its timestamp if one was asked for. */
export interface AskedCheckpoint extends Cosigned {
  token?: string;
}

/** The checkpoint that a request for a bundle asks for. */
@Injectable()
export class AskedCheckpointService {
  constructor(@Inject(EVIDENCE) private readonly evidence: Evidence) {}

  /** Undefined: any, so the newest. */
  async find({ cosigned, timestamped }: Pick<BundleQuery, 'cosigned' | 'timestamped'>): Promise<AskedCheckpoint | undefined | Refusal> {
    const notes = this.evidence.cosigned;
    const fault = await cosignedFault(notes, cosigned);
    if (fault) return fault;
    if (timestamped === 'true') return this.timestamped(cosigned === 'true');
    return cosigned === 'true' ? ((await notes.newest()) ?? notCovered()) : undefined;
  }

  private async timestamped(mustBeCosigned: boolean): Promise<AskedCheckpoint | Refusal> {
    const found = await this.evidence.timestamps?.newest();
    if (!found || (mustBeCosigned && !this.evidence.cosigned.hasAll(found.note))) return notTimestamped();
    const { number, note, token } = found;
    return { number, note, token };
  }
}
