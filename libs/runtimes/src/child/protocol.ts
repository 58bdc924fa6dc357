import type { CallError, Principal } from '@countersign/contracts';
import type { ToolBlob } from '@countersign/tool-kit';
import type { Ask } from '../runtime.js';
import type { ReportedPack } from './reported-pack.js';

/** Version of the messages below. A child with another version is not used. */
export const PROTOCOL_VERSION = 3;

/** The file descriptor of the channel in a child. */
export const CHANNEL_FD = 3;

/** All parts of a run's context that are data. */
export interface SentContext {
  tenant_id: string;
  principal: Pick<Principal, 'kind' | 'id'>;
  clearances: readonly string[];
  call_id: string;
  case_id: string | null;
  run_id: string | null;
  idempotency_key: string;
  deadline_ms: number;
  fired_at_ms?: number | undefined;
  requested?: unknown;
  settings: Readonly<Record<string, string>>;
}

/** A request to a tool. */
export interface AskMessage {
  kind: 'ask';
  id: number;
  ask: Ask | 'run';
  tool: string;
  input: unknown;
  /** The output to verify; for `compensate` the effect to undo. */
  about?: unknown;
  context: SentContext;
  /** Must not begin after this, by the machine's monotonic clock, ms. Absent: no limit. */
  begin_before_ms?: number;
}

/** A request of a tool to its context. */
export type ContextQuestion =
  | { of: 'secret'; name: string }
  | { of: 'tenant_folder' | 'common_folder'; variable: string }
  | { of: 'attach'; kind: ToolBlob['kind']; content_type: string; text?: string; base64?: string };

/** A thrown error as it is sent: bounded JSON. */
export interface ReportedError {
  error: CallError;
  /** Whether it was a ToolError, with its promise about the effect. */
  refused: boolean;
  effect: 'none' | 'unknown';
}

export type ToChild =
  | { kind: 'load'; module: string }
  | AskMessage
  | { kind: 'abort'; id: number; reason: string }
  | { kind: 'context_answer'; id: number; question: number; value?: unknown; thrown?: ReportedError };

/** Why an output is not sent. */
export interface ReportedUnsent {
  why: 'too_large' | 'not_json' | 'unreadable';
  message: string;
  small_json: string;
}

export type FromChild =
  | { kind: 'hello'; protocol: number }
  | { kind: 'loaded'; pack: ReportedPack }
  | { kind: 'not_loaded'; message: string }
  | { kind: 'answer'; id: number; value?: unknown; unsent?: ReportedUnsent; thrown?: ReportedError }
  | { kind: 'abort_seen'; id: number }
  | { kind: 'context'; id: number; question: number; asked: ContextQuestion }
  | { kind: 'log'; id: number; message: string; fields: Record<string, unknown> }
  | { kind: 'progress'; id: number; fraction: number; message: string };
