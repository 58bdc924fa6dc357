import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Icon } from '../elements/icon.js';

/** Takes a file by drag and drop or by a dialog of the browser. */
export function DropZone({ onFile }: { onFile: (file: File) => void }) {
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
      class="audit-drop"
      data-over={is_over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="download" size={20} />
      <p>
        Drop an evidence file here. <span class="soft">It is verified in this page and sent nowhere.</span>
      </p>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        accept=".json,application/json"
        tabIndex={-1}
        aria-label="Evidence file"
        onChange={choose}
      />
      <Button onClick={() => input.current?.click()}>Choose a file</Button>
    </div>
  );
}
