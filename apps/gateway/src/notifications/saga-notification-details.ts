import { setTimeout as sleep } from 'node:timers/promises';
import { type CallError, SEALED } from '@countersign/contracts';
import type { Logger } from '@countersign/process';
import { type ListedSagaTicket, listSagaTickets, readSagaRow, type Sql } from '@countersign/store';
import { ticketAdvice } from '../sagas/saga-ticket.js';
import type { Notification } from './notification.js';

/** The views show a ticket shortly after its record, ms. */
const LOOK_AFTER_MS = [0, 100, 300, 1_000, 3_000];
const TICKETS_MAX = 100;

/** Adds to a notification about a saga what a person needs: definition, step, tool, error, and what may be done. */
export class SagaNotificationDetails {
  constructor(
    private readonly sql: Sql,
    /** Without a slash at its end. */
    private readonly public_url: string,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** Other notifications are returned unchanged, and so are those whose saga cannot be read. */
  async complete(notification: Notification): Promise<Notification> {
    if (!notification.type.startsWith('saga.')) return notification;
    try {
      const more = notification.data.ticket === null ? await this.ended(notification) : await this.ticket(notification);
      return { ...notification, data: { ...notification.data, ...more } };
    } catch (cause) {
      const { id, type } = notification;
      this.logger.warn({ event: 'notification_details_unread', id, type, cause: String(cause) }, 'a notification is sent without details');
      return notification;
    }
  }

  private async ended({ tenant_id, data }: Notification): Promise<Record<string, unknown>> {
    const saga_id = data.saga_id as string;
    const saga = await readSagaRow(this.sql, tenant_id, saga_id);
    return { saga: this.link(`/v1/sagas/${saga_id}`), definition: saga?.definition ?? null, version: saga?.definition_version ?? null };
  }

  private async ticket(notification: Notification): Promise<Record<string, unknown>> {
    const saga_id = notification.data.saga_id as string;
    const { ticket, step_id, call_id } = notification.data as Pick<ListedSagaTicket, 'ticket' | 'step_id' | 'call_id'>;
    const { what, actions } = ticketAdvice({ ticket, saga_id, step_id, call_id });
    const row = await this.row(notification);
    const isUndo = ticket === 'compensation_failed';
    return {
      ...{ what, saga: this.link(`/v1/sagas/${saga_id}`), call: call_id === null ? null : this.link(`/v1/calls/${call_id}`) },
      ...{ definition: row?.definition ?? null, version: row?.definition_version ?? null },
      ...{ tool: (isUndo ? row?.undo_tool : row?.tool) ?? null, error: errorOf((isUndo ? row?.undo_error : row?.error) ?? null) },
      actions: actions.map(({ href, ...action }) => ({ ...action, href: this.link(href) })),
    };
  }

  private async row({ tenant_id, data }: Notification): Promise<ListedSagaTicket | undefined> {
    for (const after_ms of LOOK_AFTER_MS) {
      await sleep(after_ms, undefined, { ref: false });
      const { items } = await listSagaTickets(this.sql, { tenant_id, saga_id: data.saga_id as string, limit: TICKETS_MAX });
      const found = items.find(
        ({ ticket, step_id, call_id }) => ticket === data.ticket && step_id === data.step_id && call_id === data.call_id,
      );
      if (found) return found;
    }
    return undefined;
  }

  private link(path: string): string {
    return `${this.public_url}${path}`;
  }
}

/** Code and message; no message that is sealed: channels may not have personal data. */
function errorOf(text: string | null): (Pick<CallError, 'code' | 'class'> & { message: string | null }) | null {
  if (text === null) return null;
  const { code, class: error_class, message } = JSON.parse(text) as CallError;
  return { code, class: error_class, message: message.includes(SEALED) ? null : message };
}
