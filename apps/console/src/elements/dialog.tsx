import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.js';
import './dialog.css';

interface DialogProps {
  title: string;
  /** Called by Escape, by the close button and by a click beside it. Absent: it cannot be closed. */
  onClose?: () => void;
  /** `wide` for editors and diffs. */
  size?: 'normal' | 'wide';
  /** The buttons at its end. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A modal dialog. The browser keeps the focus inside, and gives it back at the end. Show it by rendering it. */
export function Dialog({ title, onClose, size = 'normal', actions, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current as HTMLDialogElement;
    const before = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const cancel = (event: Event) => {
    event.preventDefault();
    onClose?.();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, and so does its button
    <dialog
      ref={element}
      class={`dialog dialog-${size}`}
      aria-labelledby={id}
      onCancel={cancel}
      onClick={(event) => event.target === element.current && onClose?.()}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          {onClose && <Button look="quiet" icon="close" aria-label="Close" onClick={onClose} />}
        </header>
        <div class="dialog-content">{children}</div>
        {actions && <footer class="dialog-actions">{actions}</footer>}
      </div>
    </dialog>
  );
}
