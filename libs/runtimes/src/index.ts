export { ChildRuntime, type ChildRuntimeOptions } from './child/child-runtime.js';
export { packEntry } from './child/pack-entry.js';
export { OUTPUT_BYTES_HELD_MAX, smallPartsOf, UnsentAnswer } from './child/unsent-answer.js';
export { pack as httpPack } from './http/http-pack.js';
export { HttpRuntime, type HttpRuntimeOptions } from './http/http-runtime.js';
export { InProcessRuntime } from './in-process/in-process-runtime.js';
export { jsonText } from './json-text.js';
export { machineMs } from './machine-clock.js';
export { COMMAND_FOLDERS, CommandHost } from './mcp/command-host.js';
export { McpSessions, type McpSessionsOptions } from './mcp/mcp-sessions.js';
export { upstreamOutputSchema } from './mcp/output-schema.js';
export type {
  CalledTool,
  ListedTool,
  Listing,
  ListingFault,
  RefusedTool,
  ToolHints,
  UpstreamContent,
  UpstreamCredentials,
  UpstreamEvents,
  UpstreamOutput,
  UpstreamPlace,
  UpstreamRun,
  UpstreamSessions,
  UpstreamTarget,
} from './mcp/upstream.js';
export { type EffectMatch, OpenApiRuntime, type OpenApiRuntimeOptions } from './openapi/openapi-runtime.js';
export { identityOf, isKnownDead, type ProcessIdentity } from './process-identity.js';
export {
  type Ask,
  asksOf,
  declaredAsks,
  type Implausible,
  type Runtime,
  type RuntimePack,
  type RuntimeTool,
  type ToolJob,
  toolId,
} from './runtime.js';
export { Sandbox, type SandboxMode } from './sandbox/sandbox.js';
export { type UpstreamCommand, upstreamCommandsOf } from './sandbox/upstream-commands.js';
export { errorOf, messageOf, reasonOf } from './thrown-error.js';
