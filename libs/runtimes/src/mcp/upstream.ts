import type { RunContext } from '@countersign/tool-kit';

/** Where an MCP server is: an address, or the name of a command of the installation. A tenant never names an argv. */
export type UpstreamPlace =
  | { readonly kind: 'http'; readonly url: string }
  /** `command`: a name in `COUNTERSIGN_UPSTREAM_COMMANDS`. */
  | { readonly kind: 'command'; readonly command: string };

/**
 * The secrets of one tenant, or of one of its users, as values. They go to the upstream and nowhere else. A changed bearer token counts
 * from the next request; changed environment variables need a new process.
 */
export interface UpstreamCredentials {
  /** The user whose secrets these are: this user has a session or process of its own. Null: they are the tenant's. */
  readonly user_id: string | null;
  /** Sent as `authorization: Bearer …`. Http only. */
  readonly bearer?: string;
  /** Environment variables of the process. Each must be one that the command lists in `env`. Commands only. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One MCP server of one tenant, as a request reaches it. */
export interface UpstreamTarget {
  readonly tenant_id: string;
  /** The server's name in this tenant. */
  readonly upstream: string;
  /** Grows with each change of the upstream: another revision never shares a session or process with this one. */
  readonly revision: number;
  readonly place: UpstreamPlace;
  readonly credentials: UpstreamCredentials;
  /** Limit of one request. The deadline of a run may end it earlier. */
  readonly timeout_ms: number;
  /** Most bytes of one result, as JSON. */
  readonly max_output_bytes: number;
}

/** Hints of a server about one of its tools. Unverified: the server may lie. */
export interface ToolHints {
  readonly title?: string;
  readonly read_only?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly open_world?: boolean;
}

/** A tool as its server describes it: bounded in size, otherwise unverified and hostile. */
export interface ListedTool {
  /** The exact name at the server. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly output_schema?: Readonly<Record<string, unknown>>;
  readonly annotations?: ToolHints;
}

/** A tool as it is called: by the name at its server. */
export type CalledTool = Pick<ListedTool, 'name' | 'input_schema'>;

/** A tool of a listing that is not offered, because it breaks a bound or the protocol. */
export interface RefusedTool {
  /** Its name, cut to 200 characters; empty if it has none. */
  readonly name: string;
  readonly reason: string;
}

/** Why a listing failed. `bounds`: it exceeds what the platform takes. `configuration`: the operator or the tenant must change something. */
export type ListingFault = 'configuration' | 'credentials' | 'unreachable' | 'timeout' | 'protocol' | 'bounds' | 'closed';

/** The tools of a server. Only a complete listing says that a tool is absent; a failed one says nothing about tools. */
export type Listing =
  | {
      readonly kind: 'complete';
      readonly tools: readonly ListedTool[];
      /** Tools that the server lists and that are not offered. They exist: they have not disappeared. */
      readonly refused: readonly RefusedTool[];
      readonly server: { readonly name: string; readonly version: string };
      readonly protocol_version: string;
    }
  | { readonly kind: 'failed'; readonly fault: ListingFault; readonly reason: string; readonly is_retryable: boolean };

/** A part of a result. Bytes become attachments of the call. Members are named as on our wire. */
export type UpstreamContent =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'attachment';
      readonly content_type: string;
      readonly url: string;
      readonly bytes: number;
      readonly uri: string | null;
    }
  | { readonly type: 'resource'; readonly uri: string; readonly content_type: string | null; readonly text: string }
  | { readonly type: 'link'; readonly uri: string; readonly name: string; readonly description: string | null };

/** The output of an upstream tool, as its contract describes it (`upstreamOutputSchema`). */
export interface UpstreamOutput {
  readonly content: readonly UpstreamContent[];
  /** The structured content. Null: the tool returned none. Unchecked: the executor checks it against the contract. */
  readonly structured: unknown;
}

/** The part of a run's context that a call needs. */
export type UpstreamRun = Pick<RunContext, 'call_id' | 'signal' | 'deadline_ms' | 'progress' | 'attach'>;

/** Reports of servers that concern more than one call. */
export interface UpstreamEvents {
  /** The server says that its list of tools has changed. Raised at most once a second for an upstream. */
  listChanged(tenant_id: string, upstream: string): void;
}

/** Sessions with the MCP servers of tenants: opened on demand, reused, closed when idle. Never shared between tenants. */
export interface UpstreamSessions {
  /** The tools of a server. Never rejects. */
  list(target: UpstreamTarget, signal: AbortSignal): Promise<Listing>;
  /**
   * Calls a tool by its exact name at the server, at most once: a lost answer is never resent. Its schema says which inputs the server
   * wants as headers, too.
   * @throws ToolError: with effect `none` if the request was certainly not handed over or the server refused it before it ran the tool,
   * otherwise with effect `unknown`
   */
  call(target: UpstreamTarget, tool: CalledTool, inputs: unknown, run: UpstreamRun): Promise<UpstreamOutput>;
  /** Closes the sessions of an upstream that was removed or has a newer revision. Running calls may end first. */
  release(tenant_id: string, upstream: string, below_revision: number): void;
  /** Why no upstream of this kind can be used here, for readiness and reports. Undefined: it can. */
  unavailable(kind: UpstreamPlace['kind']): string | undefined;
  close(): Promise<void>;
}
