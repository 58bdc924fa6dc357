import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refusal } from '@countersign/calls';
import { canonicalText, sha256Hex } from '@countersign/contracts';
import type { TenantKeys } from '@countersign/process';
import { z } from 'zod';
import type { SimulatedAt, SimulationReport } from './simulation.js';

/** The parts of a simulation report that a publisher sends: the digest, and the platform's signature on what the report covers. */
export interface ReportProof {
  digest: string;
  proof: string;
}

/** The configuration that a simulation depends on. */
export interface SimulationContext {
  tenant_id: string;
  bundle_digest: string;
  active: string | null;
  now_ms: number;
}

/** Validity of a report, ms. */
const GOOD_FOR_MS = 24 * 3_600_000;
const simulatedAt = z.strictObject({ made_at: z.iso.datetime(), config_offset: z.int(), active: z.string().nullable() });
const refused = (detail: string): Refusal => new Refusal('simulation-required', detail);

/** Signs simulation reports, so that any gateway can verify their rules, time and active policy. */
export class SimulationReports {
  constructor(private readonly keys: TenantKeys) {}

  prove(tenant_id: string, report: SimulationReport): ReportProof {
    const digest = sha256Hex(canonicalText(report));
    const { made_at, config_offset, active } = report;
    const at = Buffer.from(canonicalText({ made_at, config_offset, active })).toString('base64url');
    return { digest, proof: `${at}.${this.signature(tenant_id, report.bundle_digest, digest, at)}` };
  }

  /** Why a bundle cannot be published with this report; undefined if it can. */
  fault({ tenant_id, bundle_digest, active, now_ms }: SimulationContext, report: ReportProof | undefined): Refusal | undefined {
    if (!report) return refused('simulate these rules first and send `simulation` of the report');
    const [at = '', signature = ''] = report.proof.split('.');
    const wanted = Buffer.from(this.signature(tenant_id, bundle_digest, report.digest, at));
    const given = Buffer.from(signature);
    if (wanted.length !== given.length || !timingSafeEqual(wanted, given))
      return refused('the report is for other rules: simulate these rules again');
    const made = simulatedAt.parse(JSON.parse(Buffer.from(at, 'base64url').toString('utf8'))) satisfies SimulatedAt;
    if (now_ms - Date.parse(made.made_at) > GOOD_FOR_MS) return refused('the report is over a day old: simulate these rules again');
    return made.active === active ? undefined : refused('the active policy has changed since the simulation: simulate again');
  }

  private signature(tenant_id: string, bundle_digest: string, digest: string, at: string): string {
    const text = `policy-simulation-2\n${bundle_digest}\n${digest}\n${at}`;
    return createHmac('sha256', this.keys.tenantKey(tenant_id)).update(text).digest('hex');
  }
}
