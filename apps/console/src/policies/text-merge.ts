import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, lineNumbers } from '@codemirror/view';
import { HIDDEN_CHARACTERS, plainLook } from './code-theme.js';

export interface MergeOptions {
  before: string;
  after: string;
  /** What the two texts are, for those who do not see them. */
  names: readonly [before: string, after: string];
  /** Side by side, or one below the other. */
  is_wide: boolean;
  /** Leaves out what is equal, but for a few lines. */
  is_collapsed: boolean;
}

const COLLAPSED = { margin: 3, minSize: 6 };
/** A diff of large texts is coarse beyond this, and does not stop the page. */
const DIFF = { scanLimit: 500, timeout: 400 };

/** Draws the differences of two texts into a shadow root below `place`. Returns how to end it. */
export function showMerge(place: HTMLElement, options: MergeOptions): () => void {
  const host = document.createElement('div');
  host.className = 'policies-merge';
  place.append(host);
  const root = host.attachShadow({ mode: 'open' });
  const frame = document.createElement('div');
  frame.part.add('merge');
  root.append(frame);
  const view = options.is_wide ? sideBySide(frame, root, options) : oneBelowTheOther(frame, root, options);
  return () => {
    view.destroy();
    host.remove();
  };
}

function sideBySide(parent: HTMLElement, root: ShadowRoot, { before, after, names, is_collapsed }: MergeOptions): MergeView {
  return new MergeView({
    a: { doc: before, extensions: readOnly(names[0]) },
    b: { doc: after, extensions: readOnly(names[1]) },
    parent,
    root,
    diffConfig: DIFF,
    ...(is_collapsed && { collapseUnchanged: COLLAPSED }),
  });
}

function oneBelowTheOther(parent: HTMLElement, root: ShadowRoot, { before, after, names, is_collapsed }: MergeOptions): EditorView {
  const merge = unifiedMergeView({
    original: before,
    mergeControls: false,
    diffConfig: DIFF,
    ...(is_collapsed && { collapseUnchanged: COLLAPSED }),
  });
  return new EditorView({ doc: after, parent, root, extensions: [...readOnly(`${names[1]}, compared with ${names[0]}`), merge] });
}

const readOnly = (label: string): Extension[] => [
  EditorState.readOnly.of(true),
  lineNumbers(),
  EditorView.lineWrapping,
  highlightSpecialChars({ addSpecialChars: HIDDEN_CHARACTERS }),
  EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0', dir: 'ltr' }),
  plainLook,
];
