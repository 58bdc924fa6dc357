import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** The identifier of the tasks extension of 2026-07-28. */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** True if this request says that its client understands tasks. A client says so in each request. */
export function declaresTasks({ mcpReq }: Pick<ServerContext, 'mcpReq'>): boolean {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return declared?.extensions?.[TASKS] !== undefined;
}

/** @throws MissingRequiredClientCapabilityError (-32021) if the client does not declare tasks. */
export function requireTasks(context: Pick<ServerContext, 'mcpReq'>): void {
  if (!declaresTasks(context)) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
}
