import type { RunContext } from '@countersign/tool-kit';
import { ToolError } from '@countersign/tool-kit';

/** A question for the client of a running call, as `tasks/get` shows it. */
export interface Question {
  method: 'elicitation/create';
  params: Record<string, unknown>;
}

interface Asking {
  open: Map<string, Question>;
  allAnswered: () => void;
}

/** Calls that may ask at once. */
const ASKING_MAX = 1_000;

/**
 * The questions of running calls. The tool that asks and the gateway that shows the questions share it, so this works only if executor
 * and gateway are one process (`npm start`), which is how the suite runs.
 */
export class OpenQuestions {
  private readonly asking = new Map<string, Asking>();

  /** Resolves when every question has an answer. @throws ToolError if the call is aborted first. */
  async ask({ call_id, signal }: Pick<RunContext, 'call_id' | 'signal'>, questions: Record<string, Question>): Promise<void> {
    if (this.asking.size >= ASKING_MAX) throw new ToolError('RATE_LIMIT', 'too many calls ask at once', { effect: 'none' });
    try {
      await new Promise<void>((resolve, reject) => {
        const aborted = () => reject(new ToolError('CANCELLED', 'aborted while it asked', { effect: 'none' }));
        if (signal.aborted) return aborted();
        signal.addEventListener('abort', aborted, { once: true });
        this.asking.set(call_id, { open: new Map(Object.entries(questions)), allAnswered: resolve });
      });
    } finally {
      this.asking.delete(call_id);
    }
  }

  /** The open questions of a call; undefined if it asks nothing. */
  of(call_id: string): Record<string, Question> | undefined {
    const open = this.asking.get(call_id)?.open;
    return open && open.size > 0 ? Object.fromEntries(open) : undefined;
  }

  /** Closes the questions that these keys answer; other keys are ignored. */
  answer(call_id: string, keys: readonly string[]): void {
    const asking = this.asking.get(call_id);
    if (!asking) return;
    for (const key of keys) asking.open.delete(key);
    if (asking.open.size === 0) asking.allAnswered();
  }
}

export const openQuestions = new OpenQuestions();
