import type { Taken } from '@countersign/calls';

/** Why a message was not delivered. A closed list, because error texts of other systems may contain addresses or secrets. */
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
  /** Status from the receiver (HTTP or SMTP); null without a response. */
  status: number | null;
  /** null if the receiver accepted the message. */
  error: SendError | null;
}

/** The result for a message that was not sent. */
export const unsent = (taken: Taken, error: SendError): SendResult => ({ taken, status: null, error });

/** The result for a message with a response. */
export const answered = (taken: Taken, status: number | null): SendResult => ({
  taken,
  status,
  error: taken === 'taken' ? null : 'refused_by_receiver',
});
