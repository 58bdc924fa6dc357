import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from './copy-button.js';
import { cut, type HiddenCharacter, PIECES_MAX, piecesOf, SHOWN_CHARACTERS, SHOWN_CHARACTERS_MAX } from './inert-text.js';
import './inert.css';

interface InertTextProps {
  text: string;
  /** Cut after this many characters. */
  characters_max?: number;
  /** `block` keeps line ends and offers the rest; `inline` is one line in a list or a sentence, without a button. */
  look?: 'inline' | 'block';
  mono?: boolean;
}

/**
 * Text of an agent, a tool or another person: never markup, its hidden characters are shown by their names, and its direction does not
 * reach what stands around it.
 */
export function InertText({ text, characters_max = SHOWN_CHARACTERS, look = 'inline', mono = false }: InertTextProps) {
  const [is_whole, setWhole] = useState(false);
  const { shown, hidden } = cut(text, is_whole ? SHOWN_CHARACTERS_MAX : characters_max);
  const pieces = useMemo(() => piecesOf(shown), [shown]);
  const Element = look === 'block' ? 'div' : 'span';
  return (
    <Element class={`inert inert-${look} ${mono ? 'mono' : ''}`}>
      <bdi dir="auto">
        {pieces.slice(0, PIECES_MAX).map((piece, at) => ('mark' in piece ? <Mark key={at} {...piece} /> : piece.text))}
        {(hidden > 0 || pieces.length > PIECES_MAX) && '…'}
      </bdi>
      {hidden > 0 && look === 'block' && (
        <span class="inert-more">
          {!is_whole && text.length <= SHOWN_CHARACTERS_MAX && (
            <button type="button" class="inert-all" onClick={() => setWhole(true)}>
              Show all ({text.length.toLocaleString('en')} characters)
            </button>
          )}
          {text.length > SHOWN_CHARACTERS_MAX && !is_whole && (
            <button type="button" class="inert-all" onClick={() => setWhole(true)}>
              Show the first {SHOWN_CHARACTERS_MAX.toLocaleString('en')} of {text.length.toLocaleString('en')} characters
            </button>
          )}
          <CopyButton text={text} label="Copy all" />
        </span>
      )}
    </Element>
  );
}

function Mark({ mark, name, count }: HiddenCharacter) {
  return (
    <span class="inert-mark" title={`hidden character ${name}${count > 1 ? `, ${count} in a row` : ''}`}>
      {count > 1 ? `${mark} ×${count}` : mark}
    </span>
  );
}
