import {
  type AgentScore,
  type AgentTrust,
  agentScore,
  auditLevel,
  LOCAL_PROVIDER,
  providerReputation,
  type ToolScore,
  type ToolTrust,
  toolScore,
} from '@countersign/domain';

/** Scores of one tenant at one time, for the given tools. A provider's reputation is computed once. */
export class TrustScores {
  private readonly reputations = new Map<string, number | null>();

  constructor(
    readonly tools: ReadonlyMap<string, ToolTrust>,
    readonly at_ms: number,
  ) {}

  /** Mean score of the provider's given tools; null: none of them has a score. */
  provider(name: string): number | null {
    let reputation = this.reputations.get(name);
    if (reputation === undefined) {
      reputation = providerReputation(this.tools.values(), name, this.at_ms);
      this.reputations.set(name, reputation);
    }
    return reputation;
  }

  providers(): Set<string> {
    const found = new Set<string>();
    for (const tool of this.tools.values())
      for (const { registered, first_run_ms } of tool.versions.values())
        if (first_run_ms !== null) found.add(registered?.provider ?? LOCAL_PROVIDER);
    return found;
  }

  /** Undefined: the tool is unknown. */
  tool(name: string, version: string): ToolScore | undefined {
    const tool = this.tools.get(name);
    if (!tool) return undefined;
    const provider = tool.versions.get(version)?.registered?.provider ?? LOCAL_PROVIDER;
    return toolScore(tool, version, this.provider(provider) ?? 0, this.at_ms);
  }

  agent(agent: AgentTrust): AgentScore {
    return agentScore(agent, (id) => this.ran(id), this.at_ms);
  }

  private ran(id: string) {
    const at = id.lastIndexOf('@');
    const part = this.tools.get(id.slice(0, at))?.versions.get(id.slice(at + 1));
    const registered = part?.registered;
    if (!part || !registered) return undefined;
    const { reads_back, declares_sla, provider } = registered;
    return { reads_back, declares_sla, security_audit: auditLevel(part), provider_reputation: this.provider(provider) };
  }
}
