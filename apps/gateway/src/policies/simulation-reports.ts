import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalText, sha256Hex } from '@countersign/contracts';
import type { TenantKeys } from '@countersign/process';
import { Problem } from '../http/problem.js';
import type { SimulationReport } from './simulation.js';

/** What a publisher sends of its report: the digest, and the platform's word that the report was about a bundle. */
export interface ReportProof {
  digest: string;
  proof: string;
}

const refused = (detail: string): Problem => new Problem('simulation-required', detail);

/** Vouches for reports of simulations, so that any gateway knows them again. */
export class SimulationReports {
  constructor(private readonly keys: TenantKeys) {}

  prove(tenant_id: string, report: SimulationReport): ReportProof {
    const digest = sha256Hex(canonicalText(report));
    return { digest, proof: this.proof(tenant_id, report.bundle_digest, digest) };
  }

  /** Why a bundle cannot be published with this report; undefined where it can. */
  fault(tenant_id: string, bundle_digest: string, report: ReportProof | undefined): Problem | undefined {
    if (!report) return refused('simulate these rules first and send `simulation` of the report');
    const wanted = Buffer.from(this.proof(tenant_id, bundle_digest, report.digest));
    const given = Buffer.from(report.proof);
    const fits = wanted.length === given.length && timingSafeEqual(wanted, given);
    return fits ? undefined : refused('the report is not about exactly these rules: simulate them again');
  }

  private proof(tenant_id: string, bundle_digest: string, digest: string): string {
    return createHmac('sha256', this.keys.tenantKey(tenant_id)).update(`policy-simulation\n${bundle_digest}\n${digest}`).digest('hex');
  }
}
