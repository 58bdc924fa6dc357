import type { Transporter } from 'nodemailer';
import { answered, type SendResult, unsent } from '../callbacks/send-result.js';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** The same for every attempt: the Message-ID. */
  id: string;
}

const WAIT_MS = 10_000;

/** Loads nodemailer with the first mail. */
async function opened(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const waits = { connectionTimeout: WAIT_MS, greetingTimeout: WAIT_MS, socketTimeout: WAIT_MS };
  return createTransport({ url, ...waits, disableFileAccess: true, disableUrlAccess: true });
}

/** Mail over SMTP (`COUNTERSIGN_SMTP_URL`). Without a server no mail is sent, and the notification is dropped. */
export class Mailer {
  private transport: Promise<Transporter> | undefined;

  constructor(
    private readonly smtp_url: string | undefined,
    private readonly from: string,
  ) {}

  async send({ to, subject, text, id }: Mail): Promise<SendResult> {
    if (this.smtp_url === undefined) return unsent('refused', 'no_mail_server');
    try {
      this.transport ??= opened(this.smtp_url);
      const transport = await this.transport;
      await transport.sendMail({ from: this.from, to, subject, text, messageId: `<${id}@countersign>` });
      return answered('taken', null);
    } catch (cause) {
      const { responseCode } = cause as { responseCode?: number };
      if (responseCode === undefined) return unsent('try_again', 'connection_failed');
      return answered(responseCode >= 500 ? 'refused' : 'try_again', responseCode);
    }
  }

  close(): void {
    void this.transport?.then(
      (transport) => transport.close(),
      () => undefined,
    );
  }
}
