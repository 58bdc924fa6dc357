import { randomUUID } from 'node:crypto';
import { Mailbox, type ReadMail } from '../../journeys/mailbox.js';

const NO_MAILBOX = /Unable to find or create user/;

/** Somebody who has received no mail yet. GreenMail makes a mailbox with the first mail, with the address as user and password. */
export class Recipient {
  readonly address = `${randomUUID()}@example.org`;
  private readonly mailbox: Mailbox;

  /** @param pop3 `host:port` */
  constructor(pop3: string) {
    this.mailbox = new Mailbox(pop3, this.address, this.address);
  }

  async mails(): Promise<ReadMail[]> {
    return this.mailbox.mails().catch((fault: Error) => {
      if (NO_MAILBOX.test(fault.message)) return [];
      throw fault;
    });
  }

  /** The Message-IDs of all mails; one that is there twice was sent twice. */
  async messageIds(): Promise<string[]> {
    return (await this.mails()).map(({ headers }) => headers.get('message-id') ?? '').sort();
  }
}
