import { type CallError, callError, type ErrorClass, errorCodes } from '@countersign/contracts';
import { isToolError, type ToolError } from '@countersign/tool-kit';
import { jsonBytesAtLeast } from '@countersign/tool-kit/json-size';
import { jsonText } from './json-text.js';

const MESSAGE_MAX = 2000;
const DETAILS_BYTES_MAX = 64 * 1024;

/** The thrown value as text of bounded length; never throws itself. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown).slice(0, MESSAGE_MAX);
  } catch {
    return 'the tool threw a value without a message';
  }
}

/** A reason given by a tool, as text of bounded length. */
export function reasonOf(why: unknown): string {
  return typeof why === 'string' && why !== '' ? why.slice(0, MESSAGE_MAX) : 'no reason was given';
}

const CODES: ReadonlySet<unknown> = new Set(errorCodes);
const CLASSES: Readonly<Record<ErrorClass, true>> = {
  transient: true,
  rate_limited: true,
  validation: true,
  authorization: true,
  semantic: true,
  not_found: true,
  server: true,
};

const isClass = (value: unknown): value is ErrorClass => typeof value === 'string' && Object.hasOwn(CLASSES, value);

/** Details as they may be recorded: JSON of bounded size, or omitted. */
function boundedDetails(details: unknown): string | null {
  if (details === undefined) return null;
  try {
    if (jsonBytesAtLeast(details, DETAILS_BYTES_MAX) > DETAILS_BYTES_MAX) return '{"left_out":"the details were too large"}';
    return jsonText(details);
  } catch {
    return '{"left_out":"the details were not JSON"}';
  }
}

const RETRY_AFTER_MAX_S = 86_400;

function seconds(retry_after_s: unknown): number | null {
  return typeof retry_after_s === 'number' && retry_after_s >= 0 ? Math.min(retry_after_s, RETRY_AFTER_MAX_S) : null;
}

interface Thrown {
  error: CallError;
  refused: boolean;
  effect: 'none' | 'unknown';
}

/** The error for a thrown value, and its promise about the effect. Every recorded error passes here. Never throws. */
export function errorOf(thrown: unknown): Thrown {
  try {
    return isToolError(thrown) ? refusal(thrown) : { error: callError('UNKNOWN', messageOf(thrown)), refused: false, effect: 'unknown' };
  } catch {
    return { error: callError('UNKNOWN', 'the tool threw a value that cannot be read'), refused: false, effect: 'unknown' };
  }
}

/** The brand does not validate the other properties: only what the record allows is copied. @throws what its getters throw */
function refusal(thrown: ToolError): Thrown {
  const { code } = thrown;
  const more = Object(thrown.more) as Partial<Record<keyof ToolError['more'], unknown>>;
  const { class: its_class, retryable, details, retry_after_s, effect } = more;
  const error = callError(CODES.has(code) ? code : 'UNKNOWN', messageOf(thrown), {
    ...(isClass(its_class) ? { class: its_class } : {}),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
  });
  return {
    error: { ...error, details_json: boundedDetails(details), retry_after_s: seconds(retry_after_s) },
    refused: true,
    effect: effect === 'none' ? 'none' : 'unknown',
  };
}
