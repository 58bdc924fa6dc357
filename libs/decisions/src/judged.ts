import type { ApprovalEvidence, GrantableInputs, LimitReservation, MappedInputs, Reversibility } from '@countersign/contracts';
import type { Demand, Judgement, KeyHolder } from '@countersign/domain';

/** The judgement of the tenant's policy on a call, before keys and open approvals are considered. */
export interface Judged {
  judgement: Judgement;
  reversibility: Reversibility;
  /** The call does not fit the configuration of this process, which may be behind that of the admitting process. */
  unfamiliar: boolean;
  /** Offset in configuration-changed at which the call was judged. */
  config_offset: number;
  /** Looked up later, and only if approval is required or a limit applies. */
  key_holder: KeyHolder | undefined;
  /** Set if approval is required, now or after a wait: the excluded principals and the evidence. */
  barred?: readonly string[];
  evidence?: Omit<ApprovalEvidence, 'bundle_version'>;
  /** Demands on the counters of limits; empty for most calls. */
  demands: readonly Demand[];
  /** The ruling without grants for similar calls; used if a grant has no use left. */
  ungranted?: Judgement;
  /** A grant that satisfied parts of the ruling has no use left. */
  grants_used_up?: boolean;
  /** The inputs that 'approve similar' would cover; absent: none. */
  grantable?: GrantableInputs | null;
  /** Rule → why the known people cannot satisfy its part. */
  shortfalls?: ReadonlyMap<string, string>;
  /** The reservations for the demands. */
  reservations?: readonly LimitReservation[];
  /** Canonical inputs after caps; absent: unchanged. */
  inputs_json?: string | undefined;
  /** The mapped form of the judged inputs; absent: as in the call. */
  mapped?: MappedInputs | undefined;
  /** Inputs that a cap lowered; they must be mapped before they can be judged. */
  unmapped_json?: string | undefined;
}
