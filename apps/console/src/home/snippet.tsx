import { CopyButton } from '../elements/copy-button.js';

/** Text to copy into a terminal or a file. */
export function Snippet({ text, label }: { text: string; label: string }) {
  return (
    <div class="snippet">
      <pre>
        <code>{text}</code>
      </pre>
      <div class="snippet-copy">
        <CopyButton text={text} label={label} is_icon />
      </div>
    </div>
  );
}
