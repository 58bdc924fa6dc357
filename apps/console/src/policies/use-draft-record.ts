import { useMemo } from 'preact/hooks';
import { useDraft } from '../navigation/draft.js';
import { type DraftRecord, recordOf, recordText } from './draft-record.js';

/** What the gateway takes, and a little more. */
const CHARACTERS_MAX = 1_200_000;

/** The draft of this tab. It outlives a reload and a new sign-in of the same person. */
export function useDraftRecord(): [DraftRecord | undefined, (record: DraftRecord) => void, () => void] {
  const [kept, write, clear] = useDraft('policy', '', CHARACTERS_MAX);
  const record = useMemo(() => recordOf(kept), [kept]);
  return [record, (next) => write(recordText(next)), clear];
}
