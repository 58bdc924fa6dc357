import { TextArea } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { JsonTree } from '../elements/json-tree.js';
import { useToast } from '../elements/toast.js';
import type { Problem } from '../gateway/answer.js';
import { useDraft } from '../navigation/draft.js';
import { ReasonDialog } from './reason-dialog.js';
import type { Wait } from './saga.js';
import { waitState } from './step-states.js';
import { useWaitAnswer } from './use-saga-acts.js';
import { ANSWER_WORDS, asksForValue, waitText, writtenAnswer } from './wait-answer.js';

interface WaitDialogProps {
  saga_id: string;
  wait: Wait;
  outcome: 'answered' | 'refused';
  onClose: () => void;
}

/** The usual advice for 403 names a role; here the person is the wrong one. */
function advised(problem: Problem | undefined) {
  const is_own = problem !== undefined && 'reason' in problem && problem.reason === 'second_person_required';
  return is_own ? { ...problem, advice: 'Ask another approver to answer it.' } : problem;
}

/** How a wait ended while its dialog was open. */
function overtakenBy(wait: Wait): string | undefined {
  if (wait.ended_as === null) return undefined;
  const by = wait.ended_by ? ` by ${wait.ended_by.kind} ${wait.ended_by.id}` : '';
  return `${waitState(wait).word}${by}${wait.reason === null ? '.' : `: ${wait.reason}`}`;
}

/** The answer of a wait, with its reason. */
export function WaitDialog({ saga_id, wait, outcome, onClose }: WaitDialogProps) {
  const { step_id, answer_schema } = wait;
  const words = ANSWER_WORDS[wait.wait as keyof typeof ANSWER_WORDS];
  const answering = useWaitAnswer(saga_id);
  const toast = useToast();
  const has_value = outcome === 'answered' && asksForValue(wait);
  const [text, setText, clear] = useDraft(`saga-answer:${saga_id}:${step_id}`);
  const written = writtenAnswer(has_value ? text : '');
  const send = async (reason: string | undefined) => {
    if (!written.ok) return false;
    const { ok } = await answering.run({ step_id, outcome, answer: written.value, reason });
    if (!ok) return false;
    clear();
    toast({ tone: 'good', text: outcome === 'answered' ? words.done : 'Refused' });
    return true;
  };
  return (
    <ReasonDialog
      title={outcome === 'answered' ? words.yes : words.no}
      draft={`saga-wait:${saga_id}:${step_id}`}
      confirm={outcome === 'answered' ? words.yes : words.no}
      look={outcome === 'answered' ? 'primary' : 'danger'}
      is_complete={written.ok}
      overtaken={overtakenBy(wait)}
      is_pending={answering.is_pending}
      problem={advised(answering.problem)}
      onConfirm={send}
      onClose={onClose}
    >
      <div class="saga-question">
        <InertText text={waitText(wait)} look="block" />
      </div>
      {has_value && (
        <TextArea
          label="Answer, as JSON"
          hint="Later steps read it as the output of this one."
          error={written.ok ? undefined : written.message}
          value={text}
          onValue={setText}
          mono
          rows={5}
        />
      )}
      {has_value && answer_schema !== null && (
        <details>
          <summary>What the answer must look like</summary>
          <JsonTree value={answer_schema} />
        </details>
      )}
      {outcome === 'refused' && <p class="soft">The step fails: what took effect before it is undone.</p>}
    </ReasonDialog>
  );
}
