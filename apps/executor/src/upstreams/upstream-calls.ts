import { isNode, type ToolContract, type UpstreamInput, type UpstreamTie } from '@countersign/contracts';
import {
  addressText,
  type ConfigurationState,
  isRunnable,
  scanForInjection,
  type UpstreamTool,
  upstreamOf,
  upstreamToolsOf,
} from '@countersign/domain';
import type { UpstreamCredentials, UpstreamOutput, UpstreamSessions, UpstreamTarget } from '@countersign/runtimes';
import { isToolError, type RunContext, ToolError } from '@countersign/tool-kit';
import { ResolvedCredentials } from '../calls/resolved-credentials.js';

/** Values that the inputs of another call are taken from. */
export interface BindingSource {
  inputs: unknown;
  output?: unknown;
  attempt_key: string;
}

/** The value at a JSON Pointer, in lists too; undefined if there is none. Only own members count. */
function at(value: unknown, pointer: string): unknown {
  let here = value;
  for (const step of pointer.split('/').slice(1)) {
    const member = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (here === null || typeof here !== 'object' || !Object.hasOwn(here, member)) return undefined;
    here = (here as Record<string, unknown>)[member];
  }
  return here;
}

/** The inputs of another call. A member whose value is absent is left out. */
export function boundInputs(bindings: Readonly<Record<string, UpstreamInput>>, source: BindingSource): Record<string, unknown> {
  const bound = Object.entries(bindings).map(([name, from]) => [name, 'from' in from ? at(source, from.from) : from.literal] as const);
  return Object.fromEntries(bound.filter(([, value]) => value !== undefined));
}

/** An error of an upstream is read by agents like a result. */
function flagged(cause: unknown): unknown {
  if (!isToolError(cause)) return cause;
  const { flags } = scanForInjection(cause.message);
  if (flags.length === 0) return cause;
  const details = { ...(isNode(cause.more.details) ? cause.more.details : {}), injection_patterns: flags };
  return new ToolError(cause.code, cause.message, { ...cause.more, details });
}

const never = (message: string): ToolError => new ToolError('PROVIDER_ERROR', message, { effect: 'none', retryable: false });

/** Calls tools of the upstreams of tenants, as the configuration has them now. */
export class UpstreamCalls {
  constructor(
    private readonly configuration: { readonly state: ConfigurationState },
    private readonly sessions: Pick<UpstreamSessions, 'call'>,
  ) {}

  /** A tool of the same upstream that may run now. */
  standing(tenant_id: string, server: string, tool: string): UpstreamTool | undefined {
    const found = upstreamToolsOf(this.configuration.state, tenant_id, server).find((each) => each.tool === tool);
    return found && isRunnable(found) ? found : undefined;
  }

  /** @throws ToolError */
  async call(contract: ToolContract, tool: string, inputs: unknown, context: RunContext): Promise<UpstreamOutput> {
    const tie = contract.upstream as UpstreamTie;
    const target = await this.target(contract, tie.server, context);
    const known = upstreamToolsOf(this.configuration.state, context.tenant_id, tie.server).find((each) => each.tool === tool);
    const input_schema = known?.pinned?.definition.input_schema ?? contract.input_schema;
    try {
      return await this.sessions.call(target, { name: tool, input_schema }, inputs, context);
    } catch (cause) {
      throw flagged(cause);
    }
  }

  /** The server that the contract names: callers and approvers agreed to that address and no other. @throws ToolError */
  private async target(contract: ToolContract, server: string, context: RunContext): Promise<UpstreamTarget> {
    const { tenant_id } = context;
    const upstream = upstreamOf(this.configuration.state, tenant_id, server);
    if (!upstream?.place) throw never(`the upstream ${server} was removed`);
    if (addressText(upstream.place) !== contract.endpoint)
      throw never(`the upstream ${server} is at another place than the contract names`);
    const { revision, place, credentials } = upstream;
    const { timeout_ms, max_output_bytes } = contract;
    const secrets = await secretsOf(credentials, context);
    return { tenant_id, upstream: server, revision, place, credentials: secrets, timeout_ms, max_output_bytes };
  }
}

async function secretsOf(
  credentials: readonly { secret: string; env: string | null }[],
  context: RunContext,
): Promise<UpstreamCredentials> {
  const user_id = context.secrets instanceof ResolvedCredentials ? context.secrets.user_id : null;
  const values = await Promise.all(credentials.map(async ({ secret, env }) => ({ env, value: await context.secrets.get(secret) })));
  return credentialsOf(values, user_id);
}

/** Secrets by where they go: a bearer token, or environment variables. */
export function credentialsOf(values: readonly { env: string | null; value: string }[], user_id: string | null): UpstreamCredentials {
  const bearer = values.find(({ env }) => env === null)?.value;
  const env = Object.fromEntries(values.flatMap(({ env: name, value }) => (name === null ? [] : [[name, value]])));
  return { user_id, ...(bearer === undefined ? {} : { bearer }), ...(Object.keys(env).length > 0 ? { env } : {}) };
}
