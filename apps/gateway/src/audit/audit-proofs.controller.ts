import { type Caller, Refusal, type Seen, Views } from '@countersign/calls';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { AsRecorded } from '../http/sealed-fields.interceptor.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { bundleAnswer, proofAnswer } from './audit-answers.schemas.js';
import { AuditCheckpointsService } from './audit-checkpoints.service.js';
import { AuditProofsService } from './audit-proofs.service.js';
import { type BundleQuery, bundleQuery, type ProofQuery, proofQuery } from './audit-queries.schemas.js';
import { BundlesService } from './bundles.service.js';

/** `/v1/audit/proof` and `/bundle`: records with proofs that the log contains them. */
@ApiTags('audit')
@Roles('auditor')
@Controller('v1/audit')
export class AuditProofsController {
  constructor(
    private readonly proofs: AuditProofsService,
    private readonly bundles: BundlesService,
    private readonly checkpoints: AuditCheckpointsService,
    private readonly views: Views,
  ) {}

  @Get('proof')
  @AsRecorded()
  @ApiOperation({ summary: 'Prove a record' })
  @Answer(proofAnswer)
  async proof(@CurrentCaller() caller: Caller, @Query({ schema: proofQuery }) query: ProofQuery) {
    const proven = await this.proofs.prove(caller, query);
    return proven instanceof Refusal ? proven : { ...proven, vkey: this.checkpoints.vkey };
  }

  @Get('bundle')
  @AsRecorded()
  @ApiOperation({ summary: 'Read an audit bundle of a call or a case that verifies offline' })
  @Answer(bundleAnswer)
  bundle(@CurrentCaller() caller: Caller, @Query({ schema: bundleQuery }) query: BundleQuery, @SeenPositions() seen: Seen) {
    return this.bundles.make(caller, query, this.views, seen);
  }
}
