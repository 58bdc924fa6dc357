import { EntriesReader, ProofReader } from '@countersign/evidence';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { AskedCheckpointService } from './asked-checkpoint.service.js';
import { AuditCheckpointsController } from './audit-checkpoints.controller.js';
import { AuditCheckpointsService, EVIDENCE } from './audit-checkpoints.service.js';
import { AuditEntriesController } from './audit-entries.controller.js';
import { AuditEventsController } from './audit-events.controller.js';
import { AuditEvents } from './audit-events.js';
import { AuditEventsService } from './audit-events.service.js';
import { AuditExportController } from './audit-export.controller.js';
import { AuditExport } from './audit-export.js';
import { AuditExportService } from './audit-export.service.js';
import { AuditLeavesController } from './audit-leaves.controller.js';
import { AuditLeavesService } from './audit-leaves.service.js';
import type { AuditParts } from './audit-parts.js';
import { AuditProofsController } from './audit-proofs.controller.js';
import { AuditProofsService } from './audit-proofs.service.js';
import { AuditReads } from './audit-reads.js';
import { BundleMaker } from './bundle-maker.js';
import { BundlesService } from './bundles.service.js';
import { PlacedRecords } from './placed-records.js';
import { ReadRangeEndsService } from './read-range-ends.service.js';

const partProviders = (parts: AuditParts): Provider[] => [
  { provide: EVIDENCE, useValue: parts.evidence },
  { provide: ProofReader, useValue: parts.proofs },
  { provide: EntriesReader, useValue: parts.entries },
  { provide: AuditEvents, useValue: parts.events },
  { provide: PlacedRecords, useValue: parts.records },
  { provide: AuditReads, useValue: parts.reads },
  { provide: AuditExport, useValue: parts.exports },
  { provide: BundleMaker, useValue: parts.bundles },
];

/** The audit: events, proofs, bundles, exports and checkpoints. */
@Module({})
export class AuditModule {
  static of(parts: AuditParts): DynamicModule {
    return {
      module: AuditModule,
      controllers: [
        AuditCheckpointsController,
        AuditProofsController,
        AuditEntriesController,
        AuditLeavesController,
        AuditEventsController,
        AuditExportController,
      ],
      providers: [
        ...partProviders(parts),
        AuditCheckpointsService,
        AuditProofsService,
        AuditLeavesService,
        AuditEventsService,
        AuditExportService,
        AskedCheckpointService,
        BundlesService,
        ReadRangeEndsService,
      ],
    };
  }
}
