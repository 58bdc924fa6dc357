import type { ToolContract } from '@countersign/contracts';
import { type ReconcileBinding, reconcileEnvironment, type ToolBinding } from '@countersign/openapi';
import { compileReconcileMatch, type ReconcileMatch } from '@countersign/policy';

/** The match of a tool's reconcile. Compiled at its first use: most tools are never reconciled. */
export class EffectMatch {
  private compiled: ReconcileMatch | { error: string } | undefined;

  constructor(
    private readonly contract: ToolContract,
    private readonly binding: ToolBinding & { reconcile: ReconcileBinding },
  ) {}

  judge(on: { inputs: unknown; attempt_key: string; output: unknown }): boolean | { error: string } {
    this.compiled ??= this.compile();
    return 'error' in this.compiled ? this.compiled : this.compiled.judge({ ...on, inputs_chars: JSON.stringify(on).length });
  }

  private compile(): ReconcileMatch | { error: string } {
    const program = compileReconcileMatch(this.binding.reconcile.matches, reconcileEnvironment(this.contract, this.binding));
    return 'fault' in program ? { error: program.fault.reason } : program.match;
  }
}
