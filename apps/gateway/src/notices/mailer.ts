import { createTransport, type Transporter } from 'nodemailer';
import type { Taken } from '../waiting/callback-sender.js';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** Same for every attempt: the Message-ID. */
  id: string;
}

const WAIT_MS = 10_000;

/** Mail over SMTP (`COUNTERSIGN_SMTP_URL`). Without a server nothing is sent, and the notice is given up. */
export class Mailer {
  private readonly transport: Transporter | undefined;

  constructor(
    smtp_url: string | undefined,
    private readonly from: string,
  ) {
    const waits = { connectionTimeout: WAIT_MS, greetingTimeout: WAIT_MS, socketTimeout: WAIT_MS };
    this.transport =
      smtp_url === undefined ? undefined : createTransport({ url: smtp_url, ...waits, disableFileAccess: true, disableUrlAccess: true });
  }

  async send({ to, subject, text, id }: Mail): Promise<Taken> {
    if (!this.transport) return 'refused';
    try {
      await this.transport.sendMail({ from: this.from, to, subject, text, messageId: `<${id}@countersign>` });
      return 'taken';
    } catch (cause) {
      const { responseCode } = cause as { responseCode?: number };
      return responseCode !== undefined && responseCode >= 500 ? 'refused' : 'try_again';
    }
  }

  close(): void {
    this.transport?.close();
  }
}
