import { cutProgress, startExecutor } from '@countersign/executor';
import { type RunningGateway, startGateway } from '@countersign/gateway';
import { startOrchestrator } from '@countersign/orchestrator';
import { SuiteExtension } from '@countersign/pack-conformance/mcp';
import { startPolicy } from '@countersign/policy-service';
import type { AppDeps, RunningApp } from '@countersign/process';
import { startProjector } from '@countersign/projector';
import type { StandaloneConfig } from './config.js';

/**
 * Starts all five services in one process with shared dependencies. The gateway starts after those that decide and run calls, so that it
 * listens only when it can serve; the orchestrator submits calls through it.
 */
export async function startStandalone(deps: AppDeps, config: StandaloneConfig): Promise<RunningApp> {
  const started: RunningApp[] = [];
  const close = async () => {
    for (const app of started.reverse()) await app.close();
  };
  try {
    await cutProgress(deps.log, deps.store, config.executor.lanes);
    started.push(await startProjector(deps, config.projector));
    started.push(await startPolicy(deps, config.policy));
    started.push(await startExecutor(deps, config.executor));
    const inner = [...started];
    const gateway = await startGateway(deps, config.gateway, {
      ready: () => inner.every((app) => app.ready()),
      mcp_extension: config.executor.packs.includes('conformance') ? conformance(deps) : undefined,
    });
    started.push(gateway);
    const orchestrator = await startOrchestrator(deps, config.orchestrator, gateway.shared);
    started.push(orchestrator);
    inner.push(orchestrator);
    welcome(config, gateway);
  } catch (error) {
    await close();
    throw error;
  }
  return { ready: () => started.every((app) => app.ready()), close };
}

function conformance({ logger }: AppDeps): SuiteExtension {
  logger.warn({ event: 'mcp_open_to_loopback' }, 'the pack conformance is for tests only: with it, loopback reaches /mcp without a token');
  return new SuiteExtension();
}

/** The terminal output of a start; only the first start shows the key and the link. */
function welcome({ gateway: { host, data_dir }, executor }: StandaloneConfig, { port, admin_key, sign_in_url }: RunningGateway): void {
  const url = `http://${host}:${port}`;
  const lines = [
    `Countersign listens on ${url}`,
    `  open ${url} in a browser for the console, and ${url}/docs for the documentation`,
    `  data: ${data_dir}   packs: ${executor.packs.join(', ') || 'none'}`,
    ...(admin_key ? [`Admin key, shown only now and stored in ${data_dir}/admin.key: ${admin_key}`] : []),
    ...(sign_in_url ? [`Sign in as "you", once and within 10 minutes, in a browser on this machine: ${sign_in_url}`] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
