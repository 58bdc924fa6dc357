import { useEffect } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { EmptyState } from '../elements/states.js';
import { useToast } from '../elements/toast.js';
import { useIsWide } from '../elements/use-wide.js';
import { useParameter } from '../navigation/navigation.js';
import { InboxList } from './inbox-list.js';
import { RequestView } from './request-view.js';
import { usePerson } from './use-person.js';
import { useVotes } from './use-votes.js';
import type { VoteSender } from './vote-sender.js';
import { voteWords } from './vote-words.js';
import './inbox.css';

/** `/approvals` and `/approvals/:id`: the requests beside the one that is open; on a phone one after the other. */
export default function ApprovalsScreen() {
  const open_id = useParameter('id');
  const is_wide = useIsWide();
  const votes = useVotes();
  useAnswersElsewhere(votes, open_id);
  useEffect(() => {
    if (open_id === '') document.title = 'Approvals · Countersign';
  }, [open_id]);
  return (
    <div class={`inbox ${open_id === '' ? '' : 'inbox-open'}`}>
      {(is_wide || open_id === '') && <InboxList open_id={open_id} />}
      {open_id !== '' && <RequestView key={open_id} approval_id={open_id} />}
      {is_wide && open_id === '' && (
        <div class="inbox-nothing">
          <EmptyState icon="approvals" title="Choose a request">
            <p>
              <kbd>j</kbd> and <kbd>k</kbd> move in the list, <kbd>Enter</kbd> opens, <kbd>?</kbd> shows all keys.
            </p>
          </EmptyState>
        </div>
      )}
    </div>
  );
}

/** Says what came of a vote whose request is not on the screen any more. */
function useAnswersElsewhere(votes: VoteSender, open_id: string): void {
  const toast = useToast();
  const { person } = usePerson();
  useEffect(() => {
    for (const [approval_id, state] of votes.all()) {
      if (approval_id === open_id || state.kind !== 'answered') continue;
      const words = voteWords({ approval_id, vote: state.vote.body.vote, me: person.id }, state.answer);
      toast({
        tone: words.tone === 'good' ? 'good' : words.tone === 'neutral' ? 'neutral' : 'bad',
        text: <InertText text={`${words.title}: ${state.vote.sentence}`} characters_max={200} />,
      });
      votes.drop(approval_id);
    }
  });
}
