import { indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap } from '@codemirror/view';
import { basicSetup } from 'codemirror';
import { codeLook, HIDDEN_CHARACTERS } from './code-theme.js';
import type { PlacedError } from './error-places.js';

/** A message in the margin is as long as a line or two; the list below the editor has all of it. */
const MESSAGE_MAX = 300;

export interface EditorOptions {
  text: string;
  /** What it edits, for those who do not see it. */
  label: string;
  /** Said below the editor, and read out with it. */
  hint: string;
  /** Something was typed: read `text` once it is needed. */
  onChange: () => void;
}

/**
 * The editor of a policy in a shadow root below `place`: the policy of the page allows no style elements, and a shadow root takes
 * constructed sheets.
 */
export class PolicyEditorView {
  private readonly host: HTMLElement;
  private readonly view: EditorView;

  constructor(place: HTMLElement, { text, label, hint, onChange }: EditorOptions) {
    this.host = document.createElement('div');
    this.host.className = 'policies-editor';
    place.append(this.host);
    const root = this.host.attachShadow({ mode: 'open' });
    const frame = document.createElement('div');
    frame.part.add('frame');
    root.append(frame, hintBelow(hint));
    this.view = new EditorView({
      parent: frame,
      root,
      state: EditorState.create({ doc: text, extensions: extensionsOf(label, onChange) }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Marks errors in the text and in its margin. Those of an older text may be beyond the end of this one. */
  showErrors(errors: readonly PlacedError[]): void {
    const { length } = this.view.state.doc;
    const diagnostics = errors.map(({ from, to, reason, rule }) => ({
      from: Math.min(from, length),
      to: Math.min(Math.max(from, to), length),
      severity: 'error' as const,
      message: `${rule === undefined ? '' : `Rule ${rule}: `}${reason}`.slice(0, MESSAGE_MAX),
    }));
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  /** Selects a stretch of the text, shows it and takes the focus. */
  select({ from, to }: { from: number; to: number }): void {
    const { length } = this.view.state.doc;
    const selection = { anchor: Math.min(from, length), head: Math.min(to, length) };
    this.view.dispatch({ selection, effects: EditorView.scrollIntoView(selection.anchor, { y: 'center' }) });
    this.view.focus();
  }

  destroy(): void {
    this.view.destroy();
    this.host.remove();
  }
}

function hintBelow(text: string): HTMLElement {
  const hint = document.createElement('p');
  hint.id = 'hint';
  hint.part.add('hint');
  hint.textContent = text;
  return hint;
}

/**
 * What is typed over several selected lines is put in here. The browser would join the lines itself, with inline styles, which the policy
 * of the page blocks.
 */
const typedOverLines = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection;
    const { doc } = view.state;
    const is_over_lines = doc.lineAt(main.from).number !== doc.lineAt(main.to).number;
    if (event.inputType !== 'insertText' || !event.data || event.isComposing || !is_over_lines) return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

const extensionsOf = (label: string, onChange: () => void) => [
  basicSetup,
  keymap.of([indentWithTab]),
  json(),
  lintGutter(),
  EditorView.lineWrapping,
  highlightSpecialChars({ addSpecialChars: HIDDEN_CHARACTERS }),
  EditorView.contentAttributes.of({ 'aria-label': label, 'aria-describedby': 'hint', spellcheck: 'false', tabindex: '0', dir: 'ltr' }),
  EditorView.updateListener.of(({ docChanged }) => docChanged && onChange()),
  typedOverLines,
  codeLook,
];
