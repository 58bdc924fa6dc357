import { useEffect, useRef, useState } from 'preact/hooks';
import { Panel } from '../elements/screen.js';
import { ProblemNote, Skeleton } from '../elements/states.js';
import { useQuery } from '../gateway/use-query.js';
import { historyMoments } from './history-moments.js';

interface Point {
  at: string;
  score: number | null;
}

/** The score at some moments since the version was registered: as a line, and as a table for those who do not see it. */
export function TrustHistory({ tool, version, since }: { tool: string; version: string; since: string | null }) {
  const { data, problem } = useQuery<Point[]>({
    kind: 'tool',
    key: ['trust-history', tool, version],
    read: async (api, signal) => {
      const read = (as_of: string) =>
        api.GET('/v1/tools/{name}/trust', { params: { path: { name: tool }, query: { version, as_of } }, signal });
      const moments = historyMoments(since === null ? Number.NaN : Date.parse(since), Date.now());
      const answers = await Promise.all(moments.map(read));
      const failed = answers.find(({ data: one }) => one === undefined);
      const last = answers.at(-1);
      if (failed || !last) return { ...(failed ?? answers[0]), data: undefined } as never;
      return {
        response: last.response,
        data: answers.map(({ data: one }, at) => ({ at: moments[at] as string, score: one?.score ?? null })),
      };
    },
  });
  if (!data && problem) return <ProblemNote problem={problem} />;
  if (!data) return <Skeleton lines={4} label="Loading the history of the score" />;
  const known = data.filter(({ score }) => score !== null);
  return (
    <Panel title="Score over time">
      {known.length === 0 ? (
        <p class="soft">No score yet: it appears after verified runs.</p>
      ) : (
        <>
          <Line points={data} />
          <details>
            <summary>As a table</summary>
            <table class="history">
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">Score</th>
                </tr>
              </thead>
              <tbody>
                {data.map(({ at, score }) => (
                  <tr key={at}>
                    <td>{at.slice(0, 16).replace('T', ' ')} UTC</td>
                    <td>{score === null ? 'not known' : score.toFixed(3)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </>
      )}
    </Panel>
  );
}

/** The chart, whose script is loaded when it is first needed. */
function Line({ points }: { points: readonly Point[] }) {
  const place = useRef<HTMLDivElement>(null);
  const [is_failed, setFailed] = useState(false);
  useEffect(() => {
    let end: (() => void) | undefined;
    let is_gone = false;
    import('./trust-chart.js').then(
      ({ drawTrust }) => {
        if (!is_gone && place.current) end = drawTrust(place.current, points);
      },
      () => setFailed(true),
    );
    return () => {
      is_gone = true;
      end?.();
    };
  }, [points]);
  if (is_failed) return <p class="soft">The chart could not be loaded. The table has the same numbers.</p>;
  return <div ref={place} class="trust-chart" aria-hidden="true" />;
}
