export * from './approval/answered.js';
export * from './approval/cancel.js';
export * from './approval/decide.js';
export * from './approval/grantable.js';
export { jsonDiff } from './approval/json-diff.js';
export * from './approval/part.js';
export * from './approval/person-links.js';
export * from './approval/quality.js';
export * from './approval/requirement.js';
export * from './approval/saga-grant.js';
export * from './approval/saga-plan.js';
export * from './approval/similar.js';
export * from './approval/state.js';
export * from './approval/subject.js';
export * from './approval/time.js';
export * from './approval/voting-right.js';
export * from './audit/audit-event.js';
export { type Compensation, compensationIn, compensationOf, evolveCompensated } from './call/compensation.js';
export { evolve, type PlacedEvent } from './call/evolve.js';
export { type NewestFact, newestFact, newestFactMs, recordedFacts } from './call/facts.js';
export { packCall, packedCalls, unpackCall } from './call/packed-call.js';
export { resultFlags } from './call/result-flags.js';
export { runningInputs } from './call/running-inputs.js';
export * from './call/state.js';
export { votesShown } from './call/votes.js';
export { beganBefore, type CircuitDecision, decideCircuit } from './circuit/decide.js';
export { circuitOutcomeOf } from './circuit/outcome.js';
export { CIRCUIT_DEFAULTS, type CircuitSettings } from './circuit/settings.js';
export { type Circuit, type CircuitState, circuitStateAt } from './circuit/state.js';
export { inWindow, mergedSlots, type SlotCount, slotAt as circuitSlotAt, totalOf } from './circuit/window.js';
export * from './configuration/aliases.js';
export { evolveConfiguration } from './configuration/evolve.js';
export { hasAdminKey } from './configuration/kinds/api-keys.js';
export { isSessionEnded, SESSION_LIFE_MAX_MS, sessionEpoch } from './configuration/kinds/browser-sessions.js';
export { type BrokenPromise, brokenPromise } from './configuration/kinds/catalog.js';
export * from './configuration/kinds/delegations.js';
export { factsOf } from './configuration/kinds/fact-tables.js';
export * from './configuration/kinds/grants.js';
export { httpToolsOf } from './configuration/kinds/http-tools.js';
export { PEOPLE_LIVE_MS, providerOf, STAND_INS_LIVE_MS } from './configuration/kinds/identity-providers.js';
export { limitsOf, limitVersions } from './configuration/kinds/limits.js';
export * from './configuration/kinds/mappings.js';
export { newestOpenApiTools, openApiImportsOf } from './configuration/kinds/openapi-imports.js';
export * from './configuration/kinds/people.js';
export { personLinkPeriods, personLinksOf } from './configuration/kinds/person-links.js';
export * from './configuration/kinds/personal-data.js';
export { rulingBundles } from './configuration/kinds/policy-bundles.js';
export { producerKeyId, producerOf, producerOfToken, producersOf } from './configuration/kinds/producers.js';
export * from './configuration/kinds/retention.js';
export { sagaDefinitionsOf, sagaDefinitionVersions } from './configuration/kinds/saga-definitions.js';
export { tokenExchangeOf } from './configuration/kinds/token-exchanges.js';
export {
  listingOf,
  upstreamAliasesOf,
  upstreamOf,
  upstreamsOf,
  upstreamToolNamed,
  upstreamToolsOf,
} from './configuration/kinds/upstreams.js';
export { usagePeriodOf } from './configuration/kinds/usage-periods.js';
export { delegationOf } from './configuration/kinds/user-delegations.js';
export * from './configuration/own-references.js';
export * from './configuration/queries.js';
export * from './configuration/standing.js';
export * from './configuration/state/access.js';
export * from './configuration/state/bundle-shelf.js';
export * from './configuration/state/change-ledger.js';
export * from './configuration/state/configuration.js';
export * from './configuration/state/fact-shelf.js';
export { type ConfigurationEvent, itemNames } from './configuration/state/items.js';
export * from './configuration/state/personal-data.js';
export type { SagaDefinitions, SagaDefinitionVersion } from './configuration/state/saga-definitions.js';
export * from './configuration/state/tenants.js';
export * from './configuration/state/tools.js';
export * from './configuration/version-notices.js';
export * from './damage/state.js';
export { stampedMeta } from './draft.js';
export { DAY_MS, HOUR_MS } from './durations.js';
export { admit, type Refusal, tooLate } from './execution/admit.js';
export { type AnswerTerms, answerTerms, type EffectSeen, settledAnswer, standsAsSeen } from './execution/answering.js';
export { cancel } from './execution/cancel.js';
export { afterResolution, lateEnd, lateResult, stateAfter } from './execution/evidence.js';
export { type SeenRow, type SeenWith, wrongRow, wrongUnlogged } from './execution/judged-row.js';
export type { CallEffect, CallQuestion, Step } from './execution/life/effects.js';
export type { CallEvent } from './execution/life/events.js';
export { type CallStage, isBusy, isFinished, standingOf } from './execution/life/states.js';
export { afterEvent } from './execution/life/table.js';
export { compensatedAttempt, evolveAttempt, type LoggedAttempt, type LoggedEnd } from './execution/logged-attempt.js';
export { afterLostClaim } from './execution/lost-claim.js';
export { afterTakeover } from './execution/orphan.js';
export { afterReconcile, type ReconcileAnswer } from './execution/reconciled.js';
export { inDoubt, type Meaning, meaningOf, type Recovery, type RunResult } from './execution/result.js';
export { digest8, type Execution, type ExecutionState, holdsKey } from './execution/row.js';
export { type AfterUndo, confirmed, type NotUndoable, notUndoable, undoFault } from './execution/undoing.js';
export type { InjectionFlag } from './injection/patterns.js';
export { answersFromOutside, flagsOf, SCANNED_CHARS_MAX, type Scan, scanForInjection } from './injection/scan.js';
export { callsLeft } from './limit/calls-left.js';
export { type Counter, slotAt, usedAt } from './limit/counter.js';
export * from './limit/decide.js';
export * from './limit/ledger.js';
export * from './limit/state.js';
export { nearestNames } from './registry/nearest-names.js';
export * from './registry/record.js';
export { BROADEN_MARK } from './repair/broaden.js';
export { type EndedRead, type RepairCause, repairCauseOf } from './repair/cause.js';
export { isEmptyAnswer, LIST_MARK } from './repair/empty-answer.js';
export { nextRepair, REPAIRS_MAX, type Repair, type RepairRequest } from './repair/next-repair.js';
export {
  type RepairChange,
  type RepairCheck,
  type RepairInputs,
  type RepairIssue,
  type RepairRule,
  repairRules,
  repairWarning,
  type ValueKind,
} from './repair/repairs.js';
export * from './ruling/decide.js';
export { editApproval, editedCall } from './ruling/edit.js';
export { dropApproval, evolveRulings } from './ruling/evolve.js';
export * from './ruling/state.js';
export { type Withdrawal, withdrawWaiting } from './ruling/withdraw.js';
export { sagaChartOf } from './saga/definition/chart.js';
export { checkDefinition, latenciesOf, stepsOfDefinition } from './saga/definition/check.js';
export type * from './saga/definition/definition.js';
export { usesOf } from './saga/definition/definition.js';
export { type SagaExpression, sagaExpressionsOf } from './saga/definition/expressions.js';
export { type DefinitionFault, faultAt, type KnownTool } from './saga/definition/faults.js';
export { knownTool } from './saga/definition/known-tool.js';
export { latencyOf } from './saga/definition/latency.js';
export { levelConfidence } from './saga/definition/level-confidence.js';
export {
  below as sagaPlacesBelow,
  type Place as SagaPlace,
  rootOf as sagaRootOf,
  within as sagaPlacesWithin,
} from './saga/definition/places.js';
export { sagaAnswersOf, sagaQuestionsOf } from './saga/definition/questions.js';
export { shapeFaults as sagaShapeFaults } from './saga/definition/shape-faults.js';
export { sizeFaults as sagaSizeFaults } from './saga/definition/size-faults.js';
export { placedUses, resolveTool } from './saga/definition/tools.js';
export { withApproval, withoutApproval } from './saga/definition/with-approval.js';
export { differenceMax } from './saga/reliability/agreement.js';
export { predictSaga, type SagaPrediction } from './saga/reliability/predict.js';
export { type ChainRates, type LatencyRange, type LevelRates, PREDICTED_ITEMS_MAX, ratesFaults } from './saga/reliability/rates.js';
export { SagaSimulation, type SimulatedEnds, simulationFault } from './saga/reliability/simulate.js';
export { wilsonInterval } from './saga/reliability/wilson.js';
export type * from './saga/running/commands.js';
export { decideSaga, type SagaDecision } from './saga/running/decide.js';
export { undoDefinition } from './saga/running/earlier-effects.js';
export { type SagaEffect, type SagaStatus, sagaEffectsOf, sagaStatusOf } from './saga/running/effects.js';
export { evolveSaga, replaySaga } from './saga/running/evolve.js';
export type { SagaEventType, SagaFact } from './saga/running/facts.js';
export { type Instance, instanceId, instanceOf } from './saga/running/instance.js';
export { stepKeyText, undoKeyText } from './saga/running/keys.js';
export { type LevelFacts, levelP99, levelSkipReason, timeLeft } from './saga/running/level-skip.js';
export type { Run, RunningSaga, SagaState, Ticket, Undo } from './saga/running/state.js';
export { readSagaState, sagaStateText } from './saga/running/state-text.js';
export { isTicketAct, type TicketAct, ticketActs } from './saga/running/ticket-acts.js';
export * from './trust/agent-score.js';
export * from './trust/counted-runs.js';
export * from './trust/evolve.js';
export * from './trust/facts.js';
export * from './trust/formula.js';
export * from './trust/hysteresis.js';
export * from './trust/reported-scores.js';
export * from './trust/state.js';
export * from './trust/tool-score.js';
export { addressText, definitionDigest, suggestedClass, UNCLASSIFIED, upstreamContract } from './upstream/contract.js';
export * from './upstream/decide-listing.js';
export { narrowings, nextVersion } from './upstream/drift.js';
export { GONE_AFTER_MS } from './upstream/listing.js';
export { lowerSnake, UPSTREAM_NAME, upstreamAliasName, upstreamToolNames } from './upstream/names.js';
export type * from './upstream/state.js';
export { type DigestedDefinition, isRunnable, type UpstreamTool, type UpstreamToolState } from './upstream/tools.js';
export { type UsageFact, usageFacts } from './usage/facts.js';
export * from './usage/latency.js';
export * from './usage/measures.js';
export { observedMode } from './usage/observed-mode.js';
export { usageRates, violationKinds } from './usage/rates.js';
export { inRangeText, parseSemver } from './versions/semver.js';
