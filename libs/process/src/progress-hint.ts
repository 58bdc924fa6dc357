/** Progress of a running call. A hint: it may be lost, and it is not recorded. */
export interface Progress {
  call_id: string;
  tenant_id: string;
  /** 0 to 1. */
  fraction: number;
  message: string;
}

const MESSAGE_MAX = 200;
const PAYLOAD_BYTES_MAX = 4096;

/** The channel of wake-ups on which the executors of a lane publish progress. */
export const progressChannel = (lane: string): string => `progress.${lane}`;

export function encodeProgress({ call_id, tenant_id, fraction, message }: Progress): Buffer {
  const bounded = Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : 0;
  return Buffer.from(JSON.stringify({ call_id, tenant_id, fraction: bounded, message: String(message).slice(0, MESSAGE_MAX) }));
}

/** Undefined for an invalid payload: anyone may publish on a shared Redis. */
export function decodeProgress(payload: Buffer): Progress | undefined {
  if (payload.length > PAYLOAD_BYTES_MAX) return undefined;
  try {
    const { call_id, tenant_id, fraction, message } = JSON.parse(payload.toString()) as Partial<Progress>;
    if (typeof call_id !== 'string' || typeof tenant_id !== 'string' || typeof message !== 'string') return undefined;
    return typeof fraction === 'number' ? { call_id, tenant_id, fraction, message } : undefined;
  } catch {
    return undefined;
  }
}
