export { type AskingPart, approversOf, rowId } from './asking.js';
export { type BundleText, compiledBundles } from './bundle/bundle-cache.js';
export { BundleCompiler, type CompiledBundle, compileBundle } from './bundle/compile-bundle.js';
export type { RuleFault } from './bundle/compiled-rule.js';
export { fieldsRead } from './bundle/fields-read.js';
export { historyRequested } from './bundle/requested-history.js';
export { trustRequested } from './bundle/requested-trust.js';
export type { PolicyBundle, Rule } from './bundle/rule.js';
export { isGlob, selects } from './bundle/selector.js';
export { compileExpression } from './cel/compile.js';
export { allHistoryUses, type HistoryScope, type HistoryUses } from './cel/history-uses.js';
export type { InputFields } from './cel/input-uses.js';
export {
  compileReconcileMatch,
  type ReconcileEnvironment,
  type ReconcileMatch,
  type ReconcileSubject,
} from './cel/reconcile-match.js';
export {
  compileSagaCondition,
  type SagaCondition,
  type SagaConditionEnvironment,
  type SagaConditionSubject,
} from './cel/saga-condition.js';
export type { TrustSubject } from './cel/trust-uses.js';
export { defaultLimits } from './limits/compiled-limits.js';
export { counterKey, demandsOf } from './limits/demands.js';
export { fitsOne } from './limits/glob.js';
export { type GuardRefusal, guardCall, limitRule } from './limits/guards.js';
export type { Limit, LimitedCall } from './limits/limited-call.js';
export { redacted } from './obligations.js';
export {
  agentHistory,
  type Counted,
  flaggedCalls,
  flaggedOfDay,
  flaggedScope,
  historyText,
  historyWindows,
  type StatusCount,
  scopeHistory,
} from './reported-history.js';
export * from './resolve.js';
export { isSetUndo, type PolicyInForce } from './ruling-input.js';
