import { type MappedInputs, NO_CONTEXT, type Obligation, type ToolCall, type ToolContract } from '@countersign/contracts';
import { type ConfigurationState, factsOf, overrideFor, rulingBundles, stateOfVersion, type ToolVersion } from '@countersign/domain';
import {
  allHistoryUses,
  type BundleText,
  compiledBundles,
  type HistoryUses,
  historyRequested,
  isSetUndo,
  type PolicyInForce,
  type ResolvedRuling,
  resolveRuling,
  type TrustSubject,
  trustRequested,
} from '@countersign/policy';

const NOTHING_HIDDEN: readonly Obligation[] = [];
const ALL_HIDDEN: readonly Obligation[] = [
  { kind: 'redact', rule: 'policy.bundle_unusable', paths: [''], max: null, tag: null, form: null },
];
const hides = ({ obligations }: { obligations?: readonly object[] }): boolean => obligations?.some((one) => 'redact' in one) === true;

/** The fields of a call that a ruling uses. */
export type RuledCall = Pick<
  ToolCall,
  'tool' | 'version' | 'context' | 'principal' | 'authority' | 'inputs_json' | 'case_id' | 'mapped' | 'compensates'
>;

/** Inputs that a cap lowered, and their mapped form. */
export interface RemappedInputs {
  inputs_json: string;
  mapped: MappedInputs;
}

export interface RulingAsk {
  tenant_id: string;
  tool: ToolVersion;
  call: RuledCall;
  /** Deferring rules whose wait is over. */
  waited?: readonly string[];
  deferred_since_ms?: number;
  /** The mapped form of inputs that a cap lowered; absent: not mapped. */
  remapped?: RemappedInputs | undefined;
  /** The recorded form of earlier calls (see call-history-reader.ts). Absent: a condition that uses it fails. */
  history_json?: string | undefined;
}

/** A question about every call of a tool by one principal. */
export type AnyCallAsk = Pick<RulingAsk, 'tenant_id' | 'tool'> & Pick<RuledCall, 'principal' | 'authority'>;

const ANY_CALL = { context: NO_CONTEXT, inputs_json: '{}', case_id: null, mapped: null };
/** Variables that each call sets itself. */
const OF_THE_CALL = ['inputs', 'mapped', 'context', 'history'];
/** Built-in conditions on what a call states itself. */
const OPEN_CONDITIONS: readonly string[] = ['authority.purposes', 'builtin.dangerous_operation'];

const isAboutAnyCall = ({ condition }: { condition: { uses: { variables: ReadonlySet<string> } } | undefined }): boolean =>
  !OF_THE_CALL.some((variable) => condition?.uses.variables.has(variable));

/** Source of the trust scores of a call's tool, provider and agent. */
export interface TrustSource {
  of(tenant_id: string, contract: ToolContract, principal: ToolCall['principal']): Readonly<Record<string, number | string>>;
}

/** Rules on calls by the folded configuration of a process. */
export class TenantRulings {
  /** Without `trust`, conditions that use it never hold. */
  constructor(
    private readonly now_ms: () => number,
    private readonly trust?: TrustSource,
  ) {}

  /** The trust score of the tool for the evidence; null: no score. */
  trustScore(tenant_id: string, contract: ToolContract, principal: ToolCall['principal']): number | null {
    const score = this.trust?.of(tenant_id, contract, principal).tool;
    return typeof score === 'number' ? score : null;
  }

  /** The ruling at the current or another time. Never throws. `draft`: a bundle to use instead of the active one. */
  resolve(config: ConfigurationState, ask: RulingAsk, draft?: BundleText, at_ms = this.now_ms()): ResolvedRuling {
    const { tenant_id } = ask;
    const policy = draft ? { active: compiledBundles.of(draft), facts: factsOf(config, tenant_id) } : this.inForce(config, tenant_id);
    return this.resolveUnder(policy, config, ask, at_ms);
  }

  private resolveUnder(
    policy: PolicyInForce | undefined,
    config: ConfigurationState,
    { tenant_id, tool, call, history_json, remapped, ...waits }: RulingAsk,
    at_ms: number,
  ): ResolvedRuling {
    const trust = policy && this.trust?.of(tenant_id, tool.contract, call.principal);
    return resolveRuling({
      contract: tool.contract,
      override: isSetUndo(call.compensates?.kind) ? undefined : overrideFor(config, tenant_id, call.tool),
      compensation: call.compensates?.kind ?? null,
      lifecycle: stateOfVersion(config, tenant_id, tool),
      context: call.context,
      principal: call.principal,
      authority: call.authority,
      inputs_json: call.inputs_json,
      mapped_json: call.mapped?.inputs_json ?? null,
      ...(remapped ? { remapped: { inputs_json: remapped.inputs_json, mapped_json: remapped.mapped.inputs_json } } : {}),
      case_id: call.case_id,
      policy,
      now_ms: at_ms,
      ...(trust ? { trust } : {}),
      ...waits,
      ...(history_json === undefined ? {} : { history_json, history: JSON.parse(history_json) as Record<string, unknown> }),
    });
  }

  /**
   * True if policy denies every call of the tool by this principal now, whatever its inputs, its context and its case. False if a call may
   * be allowed, also if only an approval or a wait leads there.
   */
  deniesAll(config: ConfigurationState, { tenant_id, tool, principal, authority }: AnyCallAsk): boolean {
    const call: RuledCall = { ...ANY_CALL, tool: tool.name, version: tool.version, principal, authority };
    const ask = { tenant_id, tool, call };
    const built_in = this.resolveUnder(undefined, config, ask, this.now_ms());
    if (built_in.effect === 'deny' && !OPEN_CONDITIONS.includes(built_in.rule)) return true;
    const policy = this.inForce(config, tenant_id);
    if (!policy?.active) return false;
    if ('unusable' in policy.active) return true;
    const { explanation } = this.resolveUnder(policy, config, ask, this.now_ms());
    const matched = new Set(explanation?.matched);
    return policy.active.bundle.rules
      .about(tool.contract)
      .some((rule) => rule.effect === 'deny' && matched.has(rule.id) && isAboutAnyCall(rule));
  }

  /** Undefined: the tenant has activated no bundle. */
  private inForce(config: ConfigurationState, tenant_id: string): PolicyInForce | undefined {
    const { active, shadow } = rulingBundles(config, tenant_id);
    if (!active && !shadow) return undefined;
    return {
      active: active && compiledBundles.of(active),
      shadow: shadow && compiledBundles.of(shadow),
      facts: factsOf(config, tenant_id),
    };
  }

  /** True if the ruling on a call may change with time, or with the state of other calls. */
  isTimed(config: ConfigurationState, tenant_id: string, contract: ToolContract): boolean {
    const { active } = rulingBundles(config, tenant_id);
    const force = active && compiledBundles.of(active);
    return force !== undefined && 'bundle' in force && force.bundle.rules.about(contract).some(({ timed }) => timed);
  }

  /** The parts of the call history that the rules about a tool use (active and shadow, or a draft); undefined: none. */
  historyRequested(config: ConfigurationState, tenant_id: string, contract: ToolContract, draft?: BundleText): HistoryUses | undefined {
    const { active, shadow } = draft ? { active: draft, shadow: undefined } : rulingBundles(config, tenant_id);
    if (!active && !shadow) return undefined;
    const wanted = [active, shadow].map((text) => {
      const force = text && compiledBundles.of(text);
      return force && 'bundle' in force ? historyRequested(force.bundle, contract) : undefined;
    });
    return allHistoryUses(wanted);
  }

  /** True if a rule about the tool, or its row, lets one approval of a whole saga meet its part. */
  allowsSagaApproval(config: ConfigurationState, tenant_id: string, contract: ToolContract): boolean {
    const { active } = rulingBundles(config, tenant_id);
    const force = active && compiledBundles.of(active);
    const rules = force && 'bundle' in force ? force.bundle.rules.about(contract) : [];
    const requirements = [...rules.map(({ approval }) => approval), overrideFor(config, tenant_id, contract.name)?.requirement];
    return requirements.some((requirement) => (requirement?.saga_max_ms ?? 0) > 0);
  }

  /** The subjects whose trust the rules about a tool use (active and shadow). */
  trustRequested(config: ConfigurationState, tenant_id: string, contract: ToolContract): ReadonlySet<TrustSubject> {
    const { active, shadow } = rulingBundles(config, tenant_id);
    const wanted = [active, shadow].flatMap((text) => {
      const force = text && compiledBundles.of(text);
      return force && 'bundle' in force ? [...trustRequested(force.bundle, contract)] : [];
    });
    return new Set(wanted);
  }

  /** The obligations that hide parts of a call's result, by the current rules. Hides everything if the rules are unusable. */
  redactions(config: ConfigurationState, ask: RulingAsk): readonly Obligation[] {
    const { active } = rulingBundles(config, ask.tenant_id);
    if (!active) return NOTHING_HIDDEN;
    const force = compiledBundles.of(active);
    if ('unusable' in force) return ALL_HIDDEN;
    if (!force.bundle.rules.about(ask.tool.contract).some(hides)) return NOTHING_HIDDEN;
    const { explanation } = this.resolve(config, ask);
    return explanation ? explanation.obligations.filter(({ kind }) => kind === 'redact') : ALL_HIDDEN;
  }
}
