import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { rpcError } from './rpc-error.js';

/** The identifier of the tasks extension of 2026-07-28. */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** True if this request says that its client understands tasks. A client says so in each request. */
export function declaresTasks({ mcpReq }: Pick<ServerContext, 'mcpReq'>): boolean {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return declared?.extensions?.[TASKS] !== undefined;
}

const MISSING_CAPABILITY = -32_021;
const REQUIRED = { requiredCapabilities: { extensions: { [TASKS]: {} } } };

/** @throws MissingRequiredClientCapabilityError (-32021) if the client does not declare tasks. */
export function requireTasks(context: Pick<ServerContext, 'mcpReq'>): void {
  if (!declaresTasks(context)) throw new MissingRequiredClientCapabilityError(REQUIRED);
}

interface Subscription {
  id?: unknown;
  params?: { notifications?: { taskIds?: unknown }; _meta?: Record<string, { extensions?: Record<string, unknown> } | undefined> };
}

/**
 * The refusal of a `subscriptions/listen` that asks for notifications of tasks without the extension. With it, the acknowledgement names
 * no task: there are no such notifications.
 */
export function refusedTaskNotifications(body: unknown): Response | undefined {
  const { id = null, params } = body as Subscription;
  if (params?.notifications?.taskIds === undefined) return undefined;
  if (params._meta?.[CLIENT_CAPABILITIES_META_KEY]?.extensions?.[TASKS] !== undefined) return undefined;
  return rpcError(400, { code: MISSING_CAPABILITY, message: 'Missing required client capability', data: REQUIRED }, id);
}
