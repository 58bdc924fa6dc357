import { connect, type Socket } from 'node:net';
import { isToolError, ToolError } from '@countersign/tool-kit';
import { createTransport } from 'nodemailer';

export interface OutgoingMail {
  from: string;
  to: string;
  subject: string;
  text: string;
  /** With angle brackets. */
  messageId: string;
}

/**
 * Sends one mail on a connection of its own, which an abort closes.
 * @param url `smtp://host:port`
 * @throws ToolError with effect `none` if the server was not reached or refused the mail
 */
export async function sendBySmtp(url: string, mail: OutgoingMail, signal: AbortSignal): Promise<void> {
  const socket = await connected(new URL(url), signal);
  const abort = () => socket.destroy(new Error('the run was aborted'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    // The content comes from callers: it must not name files or addresses to read.
    const safe = { disableFileAccess: true, disableUrlAccess: true, ignoreTLS: true };
    await createTransport({ ...safe, getSocket: (_options, ready) => ready(null, { connection: socket }) }).sendMail(mail);
  } catch (error) {
    throw asToolError(error, signal);
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

function connected({ hostname, port }: URL, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), signal });
    // Later errors reach the one who sends; without a listener they would end the process.
    socket.on('error', ({ message }) =>
      reject(new ToolError('NETWORK_ERROR', `no connection to the mail server: ${message}`, { effect: 'none' })),
    );
    socket.once('connect', () => resolve(socket));
  });
}

/** A status of the server is a refusal; without one the mail may have been accepted. */
function asToolError(error: unknown, signal: AbortSignal): ToolError {
  if (isToolError(error)) return error;
  const { responseCode } = error as { responseCode?: number };
  if (responseCode !== undefined)
    return new ToolError('PROVIDER_ERROR', `the mail server refused with ${responseCode}`, { effect: 'none' });
  if (signal.aborted) return new ToolError('TIMEOUT', 'the run was aborted before the mail server answered');
  return new ToolError('NETWORK_ERROR', 'the connection to the mail server was lost');
}
