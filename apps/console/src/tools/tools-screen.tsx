import '../elements/notice.css';
import { Screen } from '../elements/screen.js';
import { ErrorState, Skeleton } from '../elements/states.js';
import { ToolFilterBar } from './tool-filter-bar.js';
import { ToolTable } from './tool-table.js';
import { useListedTools } from './use-listed-tools.js';
import './tools.css';

/** `/tools`: the selector. */
export default function ToolsScreen() {
  const { listed, all, has_more, unhealthy, result } = useListedTools();
  return (
    <Screen title="Tools" about="What agents can call here, what it does, and whether its secrets are there.">
      <ToolFilterBar tools={all ?? []} />
      {unhealthy.map((text) => (
        <p key={text} class="notice-box tone-bad" role="alert">
          A pack cannot be used: {text.slice(0, 300)}
        </p>
      ))}
      {result.problem && !result.data && <ErrorState problem={result.problem} retry={result.refresh} />}
      {result.is_loading && <Skeleton lines={8} label="Loading the tools" />}
      {listed && all && <ToolTable tools={listed} is_filtered={listed.length < all.length} />}
      {has_more && <p class="soft">Only the first 500 tools are shown. Search finds the others.</p>}
    </Screen>
  );
}
