import { useCallback, useState } from 'preact/hooks';

const PREFIX = 'countersign:draft:';
/** A longer text stays on the screen only. */
const DRAFT_CHARACTERS_MAX = 200_000;

/** Text that its user has not sent yet. It outlives a reload and a new sign-in of the same person in this tab; sign-out deletes it. */
export function useDraft(name: string, initial = '', characters_max = DRAFT_CHARACTERS_MAX): [string, (text: string) => void, () => void] {
  const key = PREFIX + name;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? initial);
  const write = useCallback(
    (next: string) => {
      setText(next);
      if (next === '' || next.length > characters_max) sessionStorage.removeItem(key);
      else keep(key, next);
    },
    [key, characters_max],
  );
  const clear = useCallback(() => {
    setText(initial);
    sessionStorage.removeItem(key);
  }, [key, initial]);
  return [text, write, clear];
}

const OWNER = 'countersign:drafts-of';

/** Keeps the drafts of this tab if they are this person's, and deletes them otherwise. */
export function claimDrafts(owner: string): void {
  if (sessionStorage.getItem(OWNER) !== owner) forgetDrafts();
  keep(OWNER, owner);
}

/** Deletes all drafts of this tab. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

/** A full store loses nothing: the text stays on the screen. */
function keep(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    sessionStorage.removeItem(key);
  }
}
