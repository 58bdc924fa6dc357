import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The colours are the tokens of the page: they reach into the shadow root, and follow the theme. */
const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px', height: '100%' },
  // the frame around the editor shows the focus
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px', overscrollBehavior: 'contain' },
  '.cm-content': { caretColor: 'var(--text)', padding: '10px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--page)', color: 'var(--text-faint)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 55%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--hover)', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionLayer .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 24%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--neutral-soft)', outline: '1px solid var(--line-strong)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-soft)', outline: '1px solid var(--bad)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--neutral-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--selected)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--neutral-soft)', border: '1px solid var(--line)', color: 'var(--text-soft)' },
  '.cm-specialChar': { color: 'var(--warn)', backgroundColor: 'var(--warn-soft)', borderRadius: '3px' },
  '.cm-panels': { backgroundColor: 'var(--page)', color: 'var(--text)', fontFamily: 'var(--font)' },
  '.cm-panels.cm-panels-top, .cm-panels.cm-panels-bottom': { borderColor: 'var(--line)' },
  '.cm-textfield': { backgroundColor: 'var(--surface)', border: '1px solid var(--line-strong)', borderRadius: '4px', color: 'var(--text)' },
  '.cm-button': { background: 'var(--surface)', border: '1px solid var(--line-strong)', borderRadius: '4px', color: 'var(--text)' },
  '.cm-panel.cm-search': { padding: '8px 28px 8px 8px' },
  '.cm-panel.cm-search .cm-textfield, .cm-panel.cm-search .cm-button': { minHeight: '26px', padding: '2px 8px', fontSize: '12px' },
  '.cm-panel.cm-search label': { display: 'inline-flex', alignItems: 'center', minHeight: '26px', fontSize: '12px' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--text)', width: '24px', height: '24px' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    color: 'var(--text)',
    borderRadius: '6px',
    maxWidth: '480px',
  },
  '.cm-diagnostic': { padding: '6px 10px', fontFamily: 'var(--font)' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warn)' },
  '.cm-lintRange': { backgroundImage: 'none', paddingBottom: '0' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy var(--warn)', textUnderlineOffset: '3px' },
  '.cm-lintRange-active': { backgroundColor: 'var(--bad-soft)' },
  '.cm-changedLine, &.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': { backgroundColor: 'var(--added)' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--removed)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText, .cm-deletedText': {
    background: 'color-mix(in srgb, var(--bad) 22%, transparent)',
  },
  '&.cm-merge-b .cm-changedText, .cm-changedText': { background: 'color-mix(in srgb, var(--good) 24%, transparent)' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--bad)' },
  '&.cm-merge-b .cm-changedLineGutter, .cm-changedLineGutter': { background: 'var(--good)' },
  '.cm-collapsedLines': { background: 'var(--page)', color: 'var(--text-soft)', fontFamily: 'var(--font)', fontSize: '12px' },
  // the usual sign is in few fonts
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"⋯"' },
});

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent-text)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.separator, tags.squareBracket, tags.brace], color: 'var(--text-soft)' },
]);

/** Characters that are not seen or turn the direction of a line are shown as marks, as in inert text. */
export const HIDDEN_CHARACTERS =
  /[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\uffff\ue000-\uf8ff]|\p{Variation_Selector}/gu;

/** Plain text: colours of syntax on those of a difference would be hard to read. */
export const plainLook: Extension = theme;

/** Text with the colours of its syntax. */
export const codeLook: Extension = [theme, syntaxHighlighting(highlight)];
