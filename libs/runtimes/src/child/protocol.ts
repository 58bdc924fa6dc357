import type { CallError, Principal } from '@countersign/contracts';
import type { ToolBlob } from '@countersign/tool-kit';
import type { Ask } from '../runtime.js';
import type { ReportedPack } from './reported-pack.js';

/** Of the messages below. A child that speaks another one is not used. */
export const PROTOCOL_VERSION = 2;

/** The file descriptor of the channel in a child. */
export const CHANNEL_FD = 3;

/** Everything of a run's context that is data. */
export interface SentContext {
  tenant_id: string;
  principal: Pick<Principal, 'kind' | 'id'>;
  clearances: readonly string[];
  call_id: string;
  case_id: string | null;
  run_id: string | null;
  idempotency_key: string;
  deadline_ms: number;
  settings: Readonly<Record<string, string>>;
}

/** A question to a tool. */
export interface AskMessage {
  kind: 'ask';
  id: number;
  ask: Ask | 'run';
  tool: string;
  input: unknown;
  /** The output to verify; of `compensate` the effect to undo. */
  about?: unknown;
  context: SentContext;
  /** Not begun after this, by the monotonic clock of the machine, ms. Absent: whenever. */
  begin_before_ms?: number;
}

/** What a tool asks of its context. */
export type ContextQuestion =
  | { of: 'secret'; name: string }
  | { of: 'tenant_folder' | 'common_folder'; variable: string }
  | { of: 'attach'; kind: ToolBlob['kind']; content_type: string; text?: string; base64?: string };

/** A thrown error as it is sent: bounded JSON. */
export interface ReportedError {
  error: CallError;
  /** It was a ToolError, with what it promises of the effect. */
  refused: boolean;
  effect: 'none' | 'unknown';
}

export type ToChild =
  | { kind: 'load'; module: string }
  | AskMessage
  | { kind: 'abort'; id: number; reason: string }
  | { kind: 'context_answer'; id: number; question: number; value?: unknown; thrown?: ReportedError };

/** An output that is not sent, and why. */
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
