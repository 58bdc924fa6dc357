import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ConfigurationState } from '@countersign/domain';
import { parseExecutorConfig, startExecutor } from '@countersign/executor';
import { parseGatewayConfig, type RunningGateway, startGateway } from '@countersign/gateway';
import { parsePolicyConfig, startPolicy } from '@countersign/policy-service';
import { foldConfiguration, openPlatform, type Platform, parsePlatformConfig, type RunningApp } from '@countersign/process';
import { parseProjectorConfig, startProjector } from '@countersign/projector';
import { Registry } from 'prom-client';
import { Agent } from 'undici';
import { Api } from './api.js';

function configured<C>(parsed: { config: C } | { faults: readonly string[] }): C {
  if ('faults' in parsed) throw new Error(parsed.faults.join('; '));
  return parsed.config;
}

/** A record of the log. */
export interface Recorded {
  event_type: string;
  event: object;
  offset: number;
}

/** All services in this process with two gateways on one log and one database. The projector starts on request. */
export class TwoGateways {
  private readonly started: RunningApp[] = [];
  private readonly agent = new Agent({ connections: 20, pipelining: 1 });

  private constructor(
    private readonly dir: string,
    private readonly env: Record<string, string>,
    private readonly platform: Platform,
    private readonly gateways: RunningGateway[],
  ) {}

  static async start(more: Record<string, string>): Promise<TwoGateways> {
    const dir = mkdtempSync(path.join(tmpdir(), 'countersign-two-'));
    mkdirSync(path.join(dir, 'workspace'));
    const env = {
      COUNTERSIGN_DATA_DIR: path.join(dir, 'data'),
      COUNTERSIGN_WORKSPACE_ROOT: path.join(dir, 'workspace'),
      COUNTERSIGN_RECORDS_ROOT: path.join(dir, 'records'),
      COUNTERSIGN_LOG_LEVEL: 'silent',
      COUNTERSIGN_PORT: '0',
      ...more,
    };
    const config = configured(parsePlatformConfig(env));
    const platform = await openPlatform('two-gateways', config);
    const two = new TwoGateways(dir, env, platform, []);
    const { deps } = platform;
    two.started.push(await startPolicy(deps, configured(parsePolicyConfig(env, config.lanes))));
    two.started.push(await startExecutor(deps, configured(parseExecutorConfig(env, config.lanes))));
    for (let gateway = 0; gateway < 2; gateway++)
      two.gateways.push(await startGateway({ ...deps, metrics: new Registry() }, configured(parseGatewayConfig(env, config))));
    two.started.push(...two.gateways);
    return two;
  }

  async startProjector(): Promise<void> {
    this.started.push(await startProjector(this.platform.deps, configured(parseProjectorConfig(this.env))));
  }

  /** The admin at one of the gateways. */
  at(gateway: 0 | 1): Api {
    const key = this.gateways.find(({ admin_key }) => admin_key !== undefined)?.admin_key as string;
    return new Api(`http://127.0.0.1:${this.gateways[gateway]?.port}`, key, this.agent);
  }

  /** Everything that is on the log in a partition of a topic. */
  async recorded(topic: string, partition = 0): Promise<Recorded[]> {
    const { log, codec } = this.platform.deps;
    const records: Recorded[] = [];
    const head = await log.head(topic, partition);
    while (records.length < head) {
      const read = await log.read(topic, partition, records.length, 500);
      records.push(...read.map((record) => ({ ...codec.decode(record.value), offset: record.offset })));
    }
    return records;
  }

  /** The configuration as any service folds it from the log. */
  async folded(): Promise<ConfigurationState> {
    const configuration = foldConfiguration(this.platform.deps);
    await configuration.start();
    await configuration.close();
    return configuration.state;
  }

  async close(): Promise<void> {
    for (const app of this.started.reverse()) await app.close();
    await this.platform.close();
    await this.agent.destroy();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
