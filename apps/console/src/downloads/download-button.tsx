import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { useToast } from '../elements/toast.js';
import { problemOf, UNREACHABLE, UnreachableError } from '../gateway/answer.js';
import { useGateway } from '../gateway/context.js';
import { saveFile } from './save-file.js';

interface DownloadButtonProps {
  /** Of the API: `/v1/audit/bundle?call_id=…`. */
  path: string;
  file_name: string;
  title?: string;
  children: string;
}

/** Reads an answer of the API byte for byte and offers it as a file. */
export function DownloadButton({ path, file_name, title, children }: DownloadButtonProps) {
  const { send } = useGateway();
  const toast = useToast();
  const [is_busy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      const response = await send(new Request(new URL(path, window.location.origin)));
      if (response.ok) saveFile(file_name, await response.blob());
      else {
        const { title: what, detail } = problemOf(response, await response.json().catch(() => undefined));
        toast({ tone: 'bad', text: `${what}${detail ? `: ${detail}` : ''}`, shown_ms: 12_000 });
      }
    } catch (cause) {
      if (!(cause instanceof UnreachableError)) throw cause;
      toast({ tone: 'bad', text: UNREACHABLE.detail ?? UNREACHABLE.title });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button icon="download" title={title} is_busy={is_busy} onClick={download}>
      {children}
    </Button>
  );
}
