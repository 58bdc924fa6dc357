import { AnsweredPositions, Views } from '@countersign/calls';
import { TenantRulings } from '@countersign/decisions';
import { PgliteStore } from '@countersign/store';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { PolicyService } from '../policies/policy.service.js';
import { SimulationReports } from '../policies/simulation-reports.js';
import { FeatureApp } from './feature-app.js';
import { MemoryConfiguration } from './memory-configuration.js';

/** The policies feature alone, on a store in memory. */
export class PoliciesApp {
  private constructor(
    readonly app: FeatureApp,
    readonly configuration: ConfigurationService,
    private readonly store: PgliteStore,
  ) {}

  static async open(): Promise<PoliciesApp> {
    const store = await PgliteStore.open({ memory: true });
    const configuration = MemoryConfiguration.service(store);
    const policies = new PolicyService(configuration, new TenantRulings(() => configuration.now_ms()), store, undefined as never);
    const app = await FeatureApp.open(
      [PoliciesModule],
      [
        { provide: ConfigurationService, useValue: configuration },
        { provide: PolicyService, useValue: policies },
        { provide: SimulationReports, useValue: new SimulationReports({ tenantKey: () => Buffer.alloc(32, 1) }) },
        { provide: Views, useValue: new Views(store, new AnsweredPositions(), () => 0) },
      ],
    );
    return new PoliciesApp(app, configuration, store);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.store.close();
  }
}
