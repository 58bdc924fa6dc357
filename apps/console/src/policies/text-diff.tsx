import { useEffect, useRef, useState } from 'preact/hooks';
import { Skeleton } from '../elements/states.js';
import { useIsWide } from '../elements/use-wide.js';

interface TextDiffProps {
  before: string;
  after: string;
  names: readonly [before: string, after: string];
}

/** The texts of two policies beside each other; on a narrow screen one below the other. */
export function TextDiff({ before, after, names }: TextDiffProps) {
  const place = useRef<HTMLDivElement>(null);
  const is_wide = useIsWide();
  const [is_collapsed, setCollapsed] = useState(true);
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  useEffect(() => {
    let end: (() => void) | undefined;
    let is_left = false;
    import('./text-merge.js').then(
      ({ showMerge }) => {
        if (is_left || !place.current) return;
        end = showMerge(place.current, { before, after, names, is_wide, is_collapsed });
        setState('shown');
      },
      () => setState('failed'),
    );
    return () => {
      is_left = true;
      end?.();
    };
  }, [before, after, names[0], names[1], is_wide, is_collapsed]);
  return (
    <div class="stack-tight">
      <label class="policies-check-line">
        <input type="checkbox" checked={!is_collapsed} onChange={() => setCollapsed(!is_collapsed)} />
        Show equal lines
      </label>
      {state === 'loading' && <Skeleton lines={10} label="The texts are loading" />}
      {state === 'failed' && <p role="alert">The comparison of texts could not be loaded. Reload the page.</p>}
      <div ref={place} />
    </div>
  );
}
