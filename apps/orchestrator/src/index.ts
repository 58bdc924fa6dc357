export { type OrchestratorConfig, parseOrchestratorConfig } from './config.js';
export { type SharedCalls, startOrchestrator } from './start-orchestrator.js';
