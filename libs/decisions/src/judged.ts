import type { ApprovalEvidence, GrantableInputs, LimitReservation, MappedInputs, Reversibility } from '@countersign/contracts';
import type { Demand, Judgement, KeyHolder } from '@countersign/domain';

/** What the tenant's policy says about a call by itself, before keys and questions in progress. */
export interface Judged {
  judgement: Judgement;
  reversibility: Reversibility;
  /** The call does not fit the configuration that this process knows; it may be behind the one that admitted the call. */
  unfamiliar: boolean;
  /** Position in configuration-changed that it was judged at. */
  config_offset: number;
  /** Looked up later, and only if approval is required. */
  key_holder: KeyHolder | undefined;
  /** If approval is required, now or after a wait: who cannot approve it, and the evidence. */
  barred?: readonly string[];
  evidence?: Omit<ApprovalEvidence, 'bundle_version'>;
  /** What it needs of the counters of limits; most calls need nothing. */
  demands: readonly Demand[];
  /** The ruling without 'approve similar', where grants satisfy parts of it: used once a grant has no use left. */
  ungranted?: Judgement;
  /** A grant that answered parts of it has no use left. */
  grants_used_up?: boolean;
  /** What 'approve similar' would cover; absent: nothing. */
  grantable?: GrantableInputs | null;
  /** Why the people who are known cannot meet a part, by its rule. */
  shortfalls?: ReadonlyMap<string, string>;
  /** What it got of them. */
  reservations?: readonly LimitReservation[];
  /** Canonical inputs as caps left them; absent: as they were. */
  inputs_json?: string | undefined;
  /** What the mapping made of the inputs that were judged; absent: as the call has it. */
  mapped?: MappedInputs | undefined;
  /** Inputs that a cap lowered and that must be mapped before they can be judged. */
  unmapped_json?: string | undefined;
}
