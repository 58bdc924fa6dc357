import type { OutboundDoor } from '@countersign/outbound';
import type { CommandHost } from './command-host.js';
import { UpstreamHttpTransport } from './http-transport.js';
import { LIST_BYTES_MAX, McpSession } from './mcp-session.js';
import { EndedBefore } from './not-started.js';
import type { UpstreamEvents, UpstreamTarget } from './upstream.js';

const OPEN_MS = 30_000;
/** The envelope of a message. */
const AROUND_BYTES = 256 * 1024;

interface OpenerParts {
  readonly door: OutboundDoor;
  readonly events: UpstreamEvents;
  readonly commands: CommandHost;
}

/** Opens sessions: makes the connection to a server, and agrees on the protocol with it. */
export class SessionOpener {
  /** Commands whose program ends when it is asked in the words of the newest revision. */
  private readonly legacy = new Set<string>();

  constructor(private readonly parts: OpenerParts) {}

  /** @throws UpstreamUnusable, EndedBefore or SessionNotOpened */
  async open(target: UpstreamTarget): Promise<McpSession> {
    const { place } = target;
    if (place.kind === 'http') return this.openHttp(place.url, target);
    if (this.legacy.has(place.command)) return this.openCommand(place.command, target, true);
    try {
      return await this.openCommand(place.command, target, false);
    } catch (cause) {
      if (!(cause instanceof EndedBefore)) throw cause;
      const session = await this.openCommand(place.command, target, true);
      this.legacy.add(place.command);
      return session;
    }
  }

  private async openHttp(url: string, target: UpstreamTarget): Promise<McpSession> {
    const { bearer } = target.credentials;
    const transport = new UpstreamHttpTransport(url, this.parts.door, bearer);
    return McpSession.open(transport, this.optionsOf(target, false));
  }

  private async openCommand(command: string, target: UpstreamTarget, is_legacy: boolean): Promise<McpSession> {
    const line_bytes_max = Math.max(LIST_BYTES_MAX, target.max_output_bytes + AROUND_BYTES);
    const transport = await this.parts.commands.transport(command, target, line_bytes_max);
    try {
      const session = await McpSession.open(transport, this.optionsOf(target, is_legacy));
      if (session.is_legacy) this.legacy.add(command);
      return session;
    } catch (cause) {
      throw transport.ended_by_itself ? new EndedBefore(`the process of ${command} did not start: ${transport.fault}`, { cause }) : cause;
    }
  }

  private optionsOf({ tenant_id, upstream, credentials, timeout_ms }: UpstreamTarget, is_legacy: boolean) {
    const listChanged = () => this.parts.events.listChanged(tenant_id, upstream);
    const open_ms = Math.min(OPEN_MS, Math.max(timeout_ms, 1_000));
    return { bearer: credentials.bearer, timeout_ms: open_ms, signal: AbortSignal.timeout(OPEN_MS), is_legacy, listChanged };
  }
}
