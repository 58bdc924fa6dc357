import type { Taken } from '@countersign/calls';

/** Why a receiver has not got a message. A closed list: the words of systems may hold addresses or secrets. */
export const sendErrors = [
  'refused_by_receiver',
  'address_refused',
  'timeout',
  'connection_failed',
  'no_signing_secret',
  'no_mail_server',
] as const;

export type SendError = (typeof sendErrors)[number];

/** Outcome of one attempt to send a message. */
export interface SendResult {
  taken: Taken;
  /** What the receiver answered (HTTP or SMTP); null where it did not. */
  status: number | null;
  /** null where the receiver has it. */
  error: SendError | null;
}

/** A message that was not sent. */
export const unsent = (taken: Taken, error: SendError): SendResult => ({ taken, status: null, error });

/** A message that was answered. */
export const answered = (taken: Taken, status: number | null): SendResult => ({
  taken,
  status,
  error: taken === 'taken' ? null : 'refused_by_receiver',
});
