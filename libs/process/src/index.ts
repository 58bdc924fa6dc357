export type { AppDeps, RunningApp, TenantKeys, WakeUpChannel } from './app-deps.js';
export { type CallSpan, CallTracer, decisionAttributes } from './call-tracer.js';
export { type Clock, systemClock } from './clock.js';
export { HealthServer } from './health-server.js';
export { createLogger, type Logger, NestLogger } from './logger.js';
export { CannotOpen, openPlatform, type Platform } from './platform.js';
export { type Environment, faultLines, type ParsedConfig, type PlatformConfig, parsePlatformConfig } from './platform-config.js';
export { runService, type Service } from './run-service.js';
export { topicSpecs } from './topics.js';
