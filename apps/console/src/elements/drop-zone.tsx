import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.js';
import './drop-zone.css';
import { Icon } from './icon.js';

interface DropZoneProps {
  /** What the file is, for those who do not see the text. */
  label: string;
  /** Which types the dialog of the browser offers. */
  accept: string;
  onFile: (file: File) => void;
  /** What to drop, and what becomes of it. */
  children: ComponentChildren;
}

/** Takes a file by drag and drop or by a dialog of the browser. */
export function DropZone({ label, accept, onFile, children }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const [is_over, setOver] = useState(false);
  useEffect(() => {
    // a file that is dropped beside it would replace the page
    const stay = (event: Event) => event.preventDefault();
    for (const name of ['dragover', 'drop']) window.addEventListener(name, stay);
    return () => {
      for (const name of ['dragover', 'drop']) window.removeEventListener(name, stay);
    };
  }, []);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer?.files[0];
    if (file) onFile(file);
  };
  const choose = () => {
    const file = input.current?.files?.[0];
    if (file) onFile(file);
    // the same file may be chosen again, after it was changed
    if (input.current) input.current.value = '';
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same for keyboards
    <div
      class="drop-zone"
      data-over={is_over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="download" size={20} />
      <p>{children}</p>
      <input ref={input} class="visually-hidden" type="file" accept={accept} tabIndex={-1} aria-label={label} onChange={choose} />
      <Button onClick={() => input.current?.click()}>Choose a file</Button>
    </div>
  );
}
