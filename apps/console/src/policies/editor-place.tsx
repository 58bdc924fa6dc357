import { useEffect, useRef, useState } from 'preact/hooks';
import { TextArea } from '../elements/field.js';
import { Skeleton } from '../elements/states.js';
import type { PlacedError } from './error-places.js';
import type { Span } from './json-places.js';
import type { PolicyEditorView } from './policy-editor.js';

const LABEL = 'Text of the draft, JSON';
const HINT = 'Esc, then Tab leaves the editor. Ctrl+F searches, Ctrl+Z takes back.';
/** While a person types, the draft is kept and checked after this pause. */
const PAUSE_MS = 250;

interface EditorPlaceProps {
  /** The text at first; afterwards the editor has it. */
  initial: string;
  errors: readonly PlacedError[];
  /** Selected in the text each time it is another object. */
  selected: Span | undefined;
  /** Something is being typed: `onText` follows. */
  onTyping: () => void;
  onText: (text: string) => void;
}

/** The place of the editor, which is loaded when it is needed. If it cannot be loaded, a plain field takes its place. */
export function EditorPlace({ initial, errors, selected, onTyping, onText }: EditorPlaceProps) {
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<PolicyEditorView>();
  const [has_failed, setFailed] = useState(false);
  const latest = useRef({ onTyping, onText });
  latest.current = { onTyping, onText };
  useEffect(() => {
    let mounted: MountedEditor | undefined;
    let is_left = false;
    import('./policy-editor.js').then(
      ({ PolicyEditorView: View }) => {
        if (is_left || !place.current) return;
        mounted = new MountedEditor(place.current, View, initial, latest);
        setView(mounted.view);
      },
      () => setFailed(true),
    );
    return () => {
      is_left = true;
      mounted?.destroy();
    };
  }, []);
  useEffect(() => view?.showErrors(errors), [view, errors]);
  useEffect(() => {
    if (selected) view?.select(selected);
  }, [view, selected]);
  if (has_failed) return <PlainEditor initial={initial} onText={onText} />;
  return (
    <>
      <div ref={place} class="policies-editor-place" />
      {!view && <Skeleton lines={12} label="The editor is loading" />}
    </>
  );
}

function PlainEditor({ initial, onText }: Pick<EditorPlaceProps, 'initial' | 'onText'>) {
  const [text, setText] = useState(initial);
  const change = (next: string) => {
    setText(next);
    onText(next);
  };
  return (
    <TextArea label={LABEL} hint="The editor could not be loaded; this field does the same." value={text} onValue={change} rows={24} mono />
  );
}

/** An editor that says what was typed after a pause, and at once when the page is left. */
class MountedEditor {
  readonly view: PolicyEditorView;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    place: HTMLElement,
    View: typeof PolicyEditorView,
    text: string,
    private readonly latest: { readonly current: Pick<EditorPlaceProps, 'onTyping' | 'onText'> },
  ) {
    this.view = new View(place, { text, label: LABEL, hint: HINT, onChange: () => this.schedule() });
    window.addEventListener('pagehide', this.flush);
  }

  readonly flush = (): void => {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.latest.current.onText(this.view.text);
  };

  destroy(): void {
    this.flush();
    window.removeEventListener('pagehide', this.flush);
    this.view.destroy();
  }

  private schedule(): void {
    if (this.timer === undefined) this.latest.current.onTyping();
    clearTimeout(this.timer);
    this.timer = setTimeout(this.flush, PAUSE_MS);
  }
}
