import { CASES_TOPIC } from '@countersign/contracts';
import { EntriesReader, ProofReader } from '@countersign/evidence';
import type { AppDeps, Configuration, Evidence } from '@countersign/process';
import { AuditEvents } from './audit-events.js';
import { AuditExport } from './audit-export.js';
import { AuditReads } from './audit-reads.js';
import { BundleMaker } from './bundle-maker.js';
import { PlacedRecords } from './placed-records.js';
import { Refusals } from './refusals.js';

/** Dependencies of the audit routes, one provider each. */
export interface AuditParts {
  evidence: Evidence;
  proofs: ProofReader;
  entries: EntriesReader;
  events: AuditEvents;
  records: PlacedRecords;
  reads: AuditReads;
  exports: AuditExport;
  bundles: BundleMaker;
}

/** `topics`: the topics whose records are proven; the leaves of cases are not listed. */
export function auditParts(
  deps: Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'store' | 'clock' | 'logger'>,
  evidence: Evidence,
  configuration: Configuration,
  topics: ReadonlySet<string>,
): AuditParts {
  const { checkpoints, tiles, signer } = evidence;
  const proofs = new ProofReader(checkpoints, tiles, signer.verifier);
  const listed = new Set([...topics].filter((topic) => topic !== CASES_TOPIC));
  const events = new AuditEvents(deps, listed, new Refusals(configuration));
  const reads = new AuditReads(deps);
  return {
    evidence,
    proofs,
    entries: new EntriesReader(checkpoints, tiles, signer.verifier),
    events,
    records: new PlacedRecords(deps, topics),
    reads,
    exports: new AuditExport({ events, reads, checkpoints, store: deps.store }),
    bundles: new BundleMaker(deps, evidence, proofs),
  };
}

/** Logs incomplete audit trees. Proofs from them are refused until they are complete. */
export async function logAuditFaults({ proofs }: Pick<AuditParts, 'proofs'>, logger: Pick<AppDeps['logger'], 'error'>): Promise<void> {
  const faults = await proofs.faults();
  if (faults.length === 0) return;
  logger.error(
    { event: 'audit_trees_incomplete', faults },
    'the audit trees are incomplete: the projector is rebuilding them, or this gateway does not share its tree storage',
  );
}
