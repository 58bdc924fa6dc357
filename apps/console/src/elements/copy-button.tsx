import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.js';

const SHOWN_MS = 1_600;

/** Copies a text. `label` names it for those who do not see the icon; `is_icon` leaves only the icon. */
export function CopyButton({ text, label = 'Copy', is_icon = false }: { text: string; label?: string; is_icon?: boolean }) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    );
  const word = outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'The browser refused to copy' : label;
  return (
    <>
      <Button
        look="quiet"
        icon={outcome === 'copied' ? 'check' : 'copy'}
        aria-label={is_icon ? word : undefined}
        title={is_icon ? word : undefined}
        onClick={copy}
      >
        {is_icon ? undefined : word}
      </Button>
      <span class="visually-hidden" role="status">
        {outcome === undefined ? '' : word}
      </span>
    </>
  );
}
