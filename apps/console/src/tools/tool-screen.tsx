import { Screen } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { Link } from '../navigation/link.js';
import { useParameter, usePlace } from '../navigation/navigation.js';
import { ToolDetail } from './tool-detail.js';
import { filterQuery, filtersFrom } from './tool-filters.js';
import { useTool } from './tool-queries.js';
import { ToolSideList } from './tool-side-list.js';
import './tools.css';
import './tool.css';

/** `/tools/:name`: one tool, beside the selector where there is room. */
export default function ToolScreen() {
  const name = useParameter('name');
  return (
    <div class="tools-split">
      <ToolSideList name={name} />
      <OneTool name={name} />
    </div>
  );
}

function OneTool({ name }: { name: string }) {
  const { data: tool, problem, is_loading, refresh } = useTool(name);
  const { query } = usePlace();
  if (tool) return <ToolDetail tool={tool} />;
  const back = (
    <Link href={`/tools${filterQuery(filtersFrom(query))}`} class="tools-back">
      All tools
    </Link>
  );
  const title = name.slice(0, 80);
  return (
    <Screen title={problem?.status === 404 ? 'No such tool' : title} about={back}>
      {is_loading && <Skeleton lines={9} label="Loading the tool" />}
      {problem?.status === 404 && (
        <EmptyState icon="tools" title="There is no such tool">
          <p>
            No tool is called <code>{title}</code> here. It may have been removed, or the link is not complete.
          </p>
        </EmptyState>
      )}
      {problem && problem.status !== 404 && <ErrorState problem={problem} retry={refresh} />}
    </Screen>
  );
}
