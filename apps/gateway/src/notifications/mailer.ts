import type { Taken } from '@countersign/calls';
import type { Transporter } from 'nodemailer';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** Same for every attempt: the Message-ID. */
  id: string;
}

const WAIT_MS = 10_000;

/** Loaded with the first mail. */
async function opened(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const waits = { connectionTimeout: WAIT_MS, greetingTimeout: WAIT_MS, socketTimeout: WAIT_MS };
  return createTransport({ url, ...waits, disableFileAccess: true, disableUrlAccess: true });
}

/** Mail over SMTP (`COUNTERSIGN_SMTP_URL`). Without a server nothing is sent, and the notification is given up. */
export class Mailer {
  private transport: Promise<Transporter> | undefined;

  constructor(
    private readonly smtp_url: string | undefined,
    private readonly from: string,
  ) {}

  async send({ to, subject, text, id }: Mail): Promise<Taken> {
    if (this.smtp_url === undefined) return 'refused';
    try {
      this.transport ??= opened(this.smtp_url);
      const transport = await this.transport;
      await transport.sendMail({ from: this.from, to, subject, text, messageId: `<${id}@countersign>` });
      return 'taken';
    } catch (cause) {
      const { responseCode } = cause as { responseCode?: number };
      return responseCode !== undefined && responseCode >= 500 ? 'refused' : 'try_again';
    }
  }

  close(): void {
    void this.transport?.then(
      (transport) => transport.close(),
      () => undefined,
    );
  }
}
