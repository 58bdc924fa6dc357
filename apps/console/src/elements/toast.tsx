import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { Button } from './button.js';
import { Icon } from './icon.js';
import './toast.css';

/** A short message that goes by itself. What must not be missed belongs on the screen instead. */
export interface Toast {
  tone?: 'good' | 'bad' | 'neutral';
  text: ComponentChildren;
  /** A button in it, such as Undo. */
  action?: { label: string; run: () => void };
  /** Default 6 s; with the pointer or the focus on it the time stands still. */
  shown_ms?: number;
}

const SHOWN_MS = 6_000;
const TOASTS_MAX = 4;

type ShownToast = Toast & { id: number };
const ToastContext = createContext<(toast: Toast) => () => void>(() => () => undefined);

/** `const toast = useToast(); const close = toast({ text: 'Approved' })` */
export const useToast = (): ((toast: Toast) => () => void) => useContext(ToastContext);

let last_id = 0;

export function ToastProvider({ children }: { children: ComponentChildren }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([]);
  const close = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const show = useMemo(
    () => (toast: Toast) => {
      last_id += 1;
      const id = last_id;
      setToasts((all) => [...all.slice(1 - TOASTS_MAX), { ...toast, id }]);
      return () => close(id);
    },
    [close],
  );
  return (
    <ToastContext.Provider value={show}>
      {children}
      <div class="toasts" role="status" aria-live="polite">
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} onClose={() => close(toast.id)} />
        ))}
      </div>
    </ToastContext.Provider>
  );
}

function ToastCard({ toast, onClose }: { toast: ShownToast; onClose: () => void }) {
  const [is_held, setHeld] = useState(false);
  useEffect(() => {
    if (is_held) return;
    const timer = setTimeout(onClose, toast.shown_ms ?? SHOWN_MS);
    return () => clearTimeout(timer);
  }, [is_held, toast.id]);
  const { action } = toast;
  return (
    <div
      class={`toast tone-${toast.tone ?? 'neutral'}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      {toast.tone === 'good' && <Icon name="check" />}
      {toast.tone === 'bad' && <Icon name="warning" />}
      <span class="toast-text">{toast.text}</span>
      {action && (
        <button
          type="button"
          class="text-button"
          onClick={() => {
            action.run();
            onClose();
          }}
        >
          {action.label}
        </button>
      )}
      <Button look="quiet" icon="close" aria-label="Close the message" onClick={onClose} />
    </div>
  );
}
