import { useLayoutEffect, useRef } from 'preact/hooks';
import { EFFECTS, isWrite } from '../effects/effect-words.js';
import { InertText } from '../elements/inert.js';
import { wordFor } from '../elements/word-for.js';
import { useShortcuts } from '../navigation/keyboard.js';
import { Link } from '../navigation/link.js';
import { useNavigate, usePlace } from '../navigation/navigation.js';
import { ToolFilterBar } from './tool-filter-bar.js';
import { LifecycleBadge, ToolName } from './tool-marks.js';
import { toolPath } from './tool-table.js';
import { useListedTools } from './use-listed-tools.js';

/** Where the list was scrolled to: it is drawn again with each tool. */
let scrolled_px = 0;

/** The selector beside a tool, where there is room. `j` and `k` go to the next and the former tool. */
export function ToolSideList({ name }: { name: string }) {
  const { listed, all } = useListedTools();
  const { query } = usePlace();
  const go = useNavigate();
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    if (!list.current || listed === undefined) return;
    list.current.scrollTop = scrolled_px;
    if (scrolled_px === 0) list.current.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
  }, [listed === undefined]);
  const at = listed?.findIndex((tool) => tool.name === name) ?? -1;
  const move = (by: number) => {
    const next = listed?.[at + by];
    if (next) go(toolPath(next.name, query), { replace: true });
  };
  useShortcuts([
    { keys: 'j', label: 'Next tool', group: 'Tools', run: () => move(1) },
    { keys: 'k', label: 'Former tool', group: 'Tools', run: () => move(-1) },
  ]);
  return (
    <aside class="tools-side" aria-label="Tools">
      <div class="tools-side-head">
        <Link href={`/tools${query.replace(/(\?|&)(tab|version)=[^&]*/g, '')}`} class="tools-back">
          All tools
        </Link>
        <ToolFilterBar tools={all ?? []} is_narrow />
      </div>
      <ul
        ref={list}
        class="tools-side-list"
        onScroll={(event) => {
          scrolled_px = event.currentTarget.scrollTop;
        }}
      >
        {(listed ?? []).map((tool) => (
          <li key={tool.name} class="tools-side-item">
            <Link href={toolPath(tool.name, query)} class="tools-side-link" aria-current={tool.name === name ? 'page' : undefined}>
              <ToolName name={tool.name} />
              <span class="tools-side-facts">
                {tool.lifecycle === 'active' ? (
                  <span class={isWrite(tool.effect_class) ? 'tools-writes' : ''}>{wordFor(EFFECTS, tool.effect_class)}</span>
                ) : (
                  <LifecycleBadge lifecycle={tool.lifecycle} />
                )}
                {tool.title !== '' && <InertText text={tool.title} characters_max={40} />}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {listed?.length === 0 && <p class="soft tools-side-none">No tool fits.</p>}
    </aside>
  );
}
