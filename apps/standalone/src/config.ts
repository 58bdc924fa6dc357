import { type ExecutorConfig, parseExecutorConfig } from '@countersign/executor';
import { type GatewayConfig, parseGatewayConfig } from '@countersign/gateway';
import { type OrchestratorConfig, parseOrchestratorConfig } from '@countersign/orchestrator';
import { type PolicyConfig, parsePolicyConfig } from '@countersign/policy-service';
import type { Environment, ParsedConfig, PlatformConfig } from '@countersign/process';
import { type ProjectorConfig, parseProjectorConfig } from '@countersign/projector';

export interface StandaloneConfig {
  gateway: GatewayConfig;
  policy: PolicyConfig;
  executor: ExecutorConfig;
  orchestrator: OrchestratorConfig;
  projector: ProjectorConfig;
}

/** The configurations of all five services, or all their faults together. */
export function parseStandaloneConfig(env: Environment, platform: PlatformConfig): ParsedConfig<StandaloneConfig> {
  const gateway = parseGatewayConfig(env, platform);
  const policy = parsePolicyConfig(env, platform.lanes);
  const executor = parseExecutorConfig(env, platform.lanes);
  const orchestrator = parseOrchestratorConfig(env, platform.lanes);
  const projector = parseProjectorConfig(env);
  if ('config' in gateway && 'config' in policy && 'config' in executor && 'config' in orchestrator && 'config' in projector) {
    const own = { gateway: gateway.config, policy: policy.config, executor: executor.config };
    return { config: { ...own, orchestrator: orchestrator.config, projector: projector.config } };
  }
  return { faults: [gateway, policy, executor, orchestrator, projector].flatMap((parsed) => ('faults' in parsed ? parsed.faults : [])) };
}
