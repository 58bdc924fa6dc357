import type { RunContext } from '@countersign/tool-kit';
import type { ContextQuestion, SentContext } from './protocol.js';

/** The part of a context that is sent with the request. */
export function sentContext(context: RunContext): SentContext {
  const { tenant_id, principal, clearances, call_id, case_id, run_id, idempotency_key, deadline_ms, fired_at_ms, requested, settings } =
    context;
  const caller = { tenant_id, principal: { kind: principal.kind, id: principal.id }, clearances };
  return { ...caller, call_id, case_id, run_id, idempotency_key, deadline_ms, fired_at_ms, requested, settings };
}

/** The response of a run's context to a child. @throws what the context throws */
export async function contextAnswer(context: RunContext, question: ContextQuestion): Promise<unknown> {
  switch (question.of) {
    case 'secret':
      return context.secrets.get(question.name);
    case 'tenant_folder':
      return context.tenantFolder(question.variable);
    case 'common_folder':
      return context.commonFolder(question.variable);
    case 'attach': {
      const { kind, content_type, text, base64 } = question;
      return context.attach({ kind, content_type, data: text ?? Buffer.from(base64 ?? '', 'base64') });
    }
  }
}
